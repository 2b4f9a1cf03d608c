import type { Random } from '../shared/random.ts'
import { costlyBodies } from './bodies.ts'
import type { Ending, Step } from './connection.ts'
import type { Protocol } from './protocols.ts'
import { type RequestParts, validRequests } from './requests.ts'

/** A kind of hostile connection. */
export interface Attack {
  readonly name: string
  /** The weight with which it is drawn. */
  readonly weight: number
  /** Draws what is sent after the protocol's beginning. Without an ending, any is drawn. */
  readonly draw: (
    random: Random,
    protocol: Protocol,
  ) => { steps: Step[]; ending?: Ending; detail?: string | number }
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
export const attacks: readonly Attack[] = [
  {
    name: 'odd request',
    weight: 200,
    draw(random, { write }) {
      const parts = {
        method: random.pick(METHODS),
        target: random.pick(TARGETS),
        token: random.pick(TOKENS),
        headers: Array.from({ length: random.below(4) }, () => random.pick(HEADERS)),
      }
      return { steps: [{ send: write(parts) }], detail: `${parts.method} ${parts.target}` }
    },
  },
  {
    name: 'part of a request',
    weight: 300,
    draw(random, { write }) {
      const whole = write(anyRequest(random))
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
    name: 'many requests, which may be taken back',
    weight: 40,
    draw(random, { write, cancel }) {
      const count = random.pick([1, 1, 10, 10, 10, 100, 100, 1000]) * (1 + random.below(9))
      const share = random.pick([0, 0, 1, 2])
      const parts = Array.from({ length: count }, (_, index) => {
        const sent = write(anyRequest(random), index)
        return random.below(2) < share ? Buffer.concat([sent, cancel(index)]) : sent
      })
      return { steps: [{ send: Buffer.concat(parts) }], detail: count }
    },
  },
  {
    name: 'long list',
    weight: 20,
    draw(random, { write }) {
      const target = random.pick(LONG_LISTS)
      const send = write({ method: random.pick(['GET', 'HEAD']), token: 'many', target })
      const stop: Step[] = random.pick([[], [{ stopReading: true }]])
      const steps = [{ send }, ...stop, { waitMs: random.below(200) }]
      return { steps, ending: random.pick(['reset', 'close', 'half-close']) }
    },
  },
  {
    name: 'large body, which may break off',
    weight: 40,
    draw(random, { write }) {
      const bytes = random.pick([100, 16_000, 2 ** 20, 2 ** 21, 2 ** 23])
      const body = random.pick([() => 'a'.repeat(bytes), ...Object.values(costlyBodies)])()
      const how: RequestParts = random.pick([
        ...[{}, {}, { headers: ['Expect: 100-continue'] }],
        { pieceBytes: 16_384 },
        { pieceBytes: 1 + random.below(4) },
      ])
      const whole = write({ body, token: random.pick(TOKENS), ...how })
      const send = whole.subarray(0, random.pick([whole.byteLength, -10, 300]))
      return { steps: [{ send }], detail: `${body.slice(0, 20)}…, ${send.byteLength} bytes` }
    },
  },
]

function anyRequest(random: Random): RequestParts {
  return random.pick(validRequests(random.pick(TOKENS)))
}
