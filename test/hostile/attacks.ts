import { type Random, random } from '../shared/random.ts'
import { costlyBodies } from './bodies.ts'
import { type Connection, ENDINGS, type Ending, type Step } from './connection.ts'
import { type RequestParts, request, validRequests } from './requests.ts'

/** A kind of hostile connection. */
interface Attack {
  readonly name: string
  /** The weight with which it is drawn. */
  readonly weight: number
  /** Draws what is sent. Without an ending, any is drawn. */
  readonly draw: (random: Random) => { steps: Step[]; ending?: Ending; detail?: string | number }
}

const TOKENS = [
  ...['now', 'later', 'late', 'never', 'throws', 'rejects', 'nonsense', 'reads-request'],
  ...['storage-throws', 'storage-never', 'nobody', 'two words', ''],
]
// A host's parser accepts most of these: what it refuses never comes to the store.
const METHODS = ['GET', 'HEAD', 'PUT', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY', 'M-SEARCH']
const TARGETS = [
  ...['/plants', '/plants?limit=0', '/plants?cursor=%ff', '/plants/x', '/plants/%', '/', '*'],
  ...['a:1', '//', '/../plants', 'http://[::1/plants', 'http://a@b/plants', '?', '/plants#x'],
]
const HEADERS = [
  ...['Connection: close', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: websocket'],
  ...['Expect: 100-continue', 'Host: other', 'Content-Length: 9', 'Transfer-Encoding: chunked'],
  ...['Content-Encoding: gzip', 'Content-Type: text/plain', 'X-Name: é', '__proto__: x'],
]
/** As long a list as the server program has: streamed, or all of it in one response. */
const LONG_LISTS = ['/plants', '/plants?limit=300000']

/** Every kind of hostile connection. */
const attacks: readonly Attack[] = [
  {
    name: 'odd request',
    weight: 10,
    draw(random) {
      const parts = {
        method: random.pick(METHODS),
        target: random.pick(TARGETS),
        token: random.pick(TOKENS),
        headers: Array.from({ length: random.below(4) }, () => random.pick(HEADERS)),
      }
      return { steps: [{ send: request(parts) }], detail: `${parts.method} ${parts.target}` }
    },
  },
  {
    name: 'part of a request',
    weight: 15,
    draw(random) {
      const whole = request(anyRequest(random))
      const bytes = random.below(whole.byteLength + 1)
      const pace = random.pick([
        ...[{}, {}, {}, {}],
        { pieceBytes: 1 + random.below(3) },
        { pieceBytes: 20 + random.below(60), everyMs: 1 + random.below(40) },
      ])
      return { steps: [{ send: whole.subarray(0, bytes), ...pace }], detail: `${bytes} bytes` }
    },
  },
  {
    name: 'many requests',
    weight: 2,
    draw(random) {
      const count = random.pick([1, 1, 10, 10, 10, 100, 100, 1000]) * (1 + random.below(9))
      const parts = Array.from({ length: count }, () => request(anyRequest(random)))
      return { steps: [{ send: Buffer.concat(parts) }], detail: count }
    },
  },
  {
    name: 'long list',
    weight: 1,
    draw(random) {
      const target = random.pick(LONG_LISTS)
      const send = request({ method: random.pick(['GET', 'HEAD']), token: 'many', target })
      const stop: Step[] = random.pick([[], [{ stopReading: true }]])
      const steps = [{ send }, ...stop, { waitMs: random.below(200) }]
      return { steps, ending: random.pick(['reset', 'close', 'half-close']) }
    },
  },
  {
    name: 'large body, which may break off',
    weight: 2,
    draw(random) {
      const bytes = random.pick([100, 16_000, 2 ** 20, 2 ** 21, 2 ** 23])
      const body = random.pick([() => 'a'.repeat(bytes), ...Object.values(costlyBodies)])()
      const how: RequestParts = random.pick([
        ...[{}, {}, { headers: ['Expect: 100-continue'] }],
        { pieceBytes: 16_384 },
        { pieceBytes: 1 + random.below(4) },
      ])
      const whole = request({ body, token: random.pick(TOKENS), ...how })
      const send = whole.subarray(0, random.pick([whole.byteLength, -10, 300]))
      return { steps: [{ send }], detail: `${body.slice(0, 20)}…, ${send.byteLength} bytes` }
    },
  },
]

function anyRequest(random: Random): RequestParts {
  return random.pick(validRequests(random.pick(TOKENS)))
}

/** Each kind as often as its weight. */
const weighted = attacks.flatMap((attack) => Array<Attack>(attack.weight).fill(attack))

/** Hostile connections by index. The same seed and index give the same connection. */
export function* hostileConnections(
  seed: number,
  from: number,
  count: number,
): Generator<Connection> {
  for (let index = from; index < from + count; index++) {
    const dice = random(Math.imul(seed, 0x9e3779b1) + index)
    const { name, draw } = dice.pick(weighted)
    const { steps, ending = dice.pick(ENDINGS), detail } = draw(dice)
    yield {
      name: `#${index} ${[name, detail, ending].filter(Boolean).join(', ')}`,
      steps,
      ending,
    }
  }
}

/** Valid requests that are broken off at every byte, by a reset and by a half-close. */
export function* everyOffset(): Generator<Connection> {
  for (const whole of validRequests('later').map(request)) {
    for (let bytes = 0; bytes <= whole.byteLength; bytes++) {
      for (const ending of ['reset', 'half-close'] as const) {
        const send = whole.subarray(0, bytes)
        const name = `${whole.subarray(0, 8).toString('latin1')}…, ${bytes} bytes, ${ending}`
        yield { name, steps: [{ send }], ending }
      }
    }
  }
}
