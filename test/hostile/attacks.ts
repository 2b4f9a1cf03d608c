import type { Random } from '../shared/random.ts'
import { costly } from './bodies.ts'
import type { Ending, Step } from './connection.ts'
import { http2Attacks } from './http2-attacks.ts'
import {
  chunkedRequest,
  MANY_PLANTS,
  PLANT,
  type RequestParts,
  request,
  validRequests,
} from './requests.ts'

/** A kind of hostile connection. */
export interface Attack {
  readonly name: string
  /** The weight with which it is drawn. */
  readonly weight: number
  /** Draws one connection; without an ending, any is drawn. */
  readonly draw: (random: Random) => { steps: Step[]; ending?: Ending; detail?: string }
}

// A host's parser accepts all of these: what it refuses never comes to the store.
const METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'QUERY'],
  ...['PURGE', 'M-SEARCH', 'SOURCE'],
]
const TOKENS = [
  ...['now', 'later', 'late', 'never', 'throws', 'rejects', 'unprintable', 'nonsense'],
  ...['reads-request', 'storage-throws', 'storage-never', 'nobody', 'two words', 'ключ', ''],
]
const TARGETS = [
  ...['/plants', '/plants?limit=1', '/plants?limit=0', '/plants/1', '/plants/x', '/'],
  ...['*', 'a:1', '//', '//a/plants', '/../plants', '/plants/../plants', '/plants/%', '/%00'],
  ...['http://garden/plants', 'http://[::1/plants', 'http://a@b/plants', 'https://x:99999/plants'],
  ...['plants', '?', '#', '/plants#x', '/pl ants', '/plants/%37', '/plants/7%2F8', '/ключ'],
  ...['/plants?limit=99999999999999999999', '/plants?cursor=%ff', '/plants?limit=1&limit=1'],
  `/plants?${'a=b&'.repeat(3000)}`,
  `/plants/${'9'.repeat(15_000)}`,
  `/${'../'.repeat(5000)}`,
]
const HEADERS = [
  ...['Connection: close', 'Connection: keep-alive', 'Connection: Upgrade, HTTP2-Settings'],
  ...['Upgrade: websocket', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk', 'Expect: 100-continue'],
  ...['Host: other', 'Host: a b', 'Host: [', 'Content-Length: 0', 'Content-Length: 9'],
  ...['Transfer-Encoding: chunked', 'Content-Encoding: gzip', 'Content-Type: text/plain'],
  ...['Authorization: Basic a', 'TE: trailers', 'X-Name: é', '__proto__: x', 'constructor: x'],
  ...['Trailer: X-Name', 'Keep-Alive: timeout=0', 'Origin: null', 'Range: bytes=0-'],
]

/** Every kind of hostile connection. */
export const attacks: readonly Attack[] = [
  {
    name: 'any request',
    weight: 360,
    draw: (random) => ({ steps: [{ send: anyRequest(random) }] }),
  },
  {
    name: 'part of a valid request',
    weight: 150,
    draw(random) {
      const whole = random.pick(validRequests(random.pick(TOKENS)))
      const bytes = random.below(whole.byteLength + 1)
      return { steps: [{ send: whole.subarray(0, bytes) }], detail: `${bytes} bytes` }
    },
  },
  {
    name: 'pipelined requests',
    weight: 15,
    draw(random) {
      const count = random.pick([1, 1, 1, 1, 10, 10, 10, 100, 100, 1000]) * (1 + random.below(9))
      const send = Buffer.concat(Array.from({ length: count }, () => anyValidRequest(random)))
      return { steps: [{ send }], detail: `${count}` }
    },
  },
  {
    name: 'slow sender',
    weight: 50,
    draw(random) {
      const pace = random.pick([
        { pieceBytes: 1 + random.below(3) },
        { pieceBytes: 20 + random.below(60), everyMs: 1 + random.below(40) },
      ])
      return { steps: [{ send: anyValidRequest(random), ...pace }] }
    },
  },
  {
    name: 'slow reader',
    weight: 10,
    draw: (random) => ({
      steps: [
        { send: request({ token: 'many', target: random.pick(['/plants', MANY_PLANTS]) }) },
        { stopReading: true },
        { waitMs: random.below(200) },
      ],
      ending: random.pick(['reset', 'close', 'half-close']),
    }),
  },
  {
    name: 'long list',
    weight: 10,
    draw: (random) => ({
      steps: [
        {
          send: request({
            method: random.pick(['GET', 'HEAD']),
            token: 'many',
            target: random.pick(['/plants', MANY_PLANTS]),
          }),
        },
        { waitMs: random.below(30) },
      ],
      ending: random.pick(['reset', 'reset when answered', 'close']),
    }),
  },
  {
    name: 'body larger than the limit',
    weight: 6,
    draw(random) {
      const length = random.pick([2 ** 20 + 1, 2 ** 21, 2 ** 23])
      const bytes = Buffer.alloc(length, 'a')
      const send = random.pick([
        request({ body: bytes }),
        request({ body: bytes, headers: ['Expect: 100-continue'] }),
        request({ body: bytes, token: random.pick(TOKENS) }),
        chunkedRequest(bytes, 65_536),
      ])
      return { steps: [{ send }], detail: `${length} bytes` }
    },
  },
  {
    name: 'body that never ends',
    weight: 20,
    draw(random) {
      const length = random.pick([100, 2 ** 20, 2 ** 40, Number.MAX_SAFE_INTEGER])
      const headers = ['Content-Type: application/json', `Content-Length: ${length}`]
      const head = request({ method: 'POST', token: random.pick(TOKENS), headers })
      return { steps: [{ send: Buffer.concat([head, Buffer.from(PLANT)]) }] }
    },
  },
  {
    name: 'tiny chunks',
    weight: 2,
    draw(random) {
      const body = Buffer.alloc(1 << (10 + random.below(11)), '9')
      return {
        steps: [{ send: chunkedRequest(body, 1 + random.below(4)) }],
        detail: `${body.byteLength} bytes`,
      }
    },
  },
  {
    name: 'costly body',
    weight: 12,
    draw(random) {
      const { name, body } = random.pick(costly)
      return { steps: [{ send: request({ body: body() }) }], detail: name }
    },
  },
  ...http2Attacks,
]

function anyRequest(random: Random): Buffer {
  const parts: RequestParts = {
    method: random.pick(METHODS),
    target: random.pick(TARGETS),
    version: random.pick(['HTTP/1.1', 'HTTP/1.0']),
    token: random.pick(TOKENS),
    headers: Array.from({ length: random.below(4) }, () => random.pick(HEADERS)),
  }
  return request(random.below(2) === 0 ? parts : { ...parts, body: PLANT })
}

function anyValidRequest(random: Random): Buffer {
  return random.pick(validRequests(random.pick(TOKENS)))
}
