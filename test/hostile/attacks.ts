import type { Random } from '../shared/random.ts'
import { costly } from './bodies.ts'
import type { Ending, Step } from './connection.ts'
import { http2Attacks } from './http2-attacks.ts'
import { mutate, randomBytes } from './mutate.ts'
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

const METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PRI'],
  ...['QUERY', 'PURGE', 'M-SEARCH', 'SOURCE', 'get', 'BREW', '', 'G\0T', 'GÉT', 'A'.repeat(5000)],
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
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP',
  '',
]
const HEADERS = [
  ...['Connection: close', 'Connection: keep-alive', 'Connection: Upgrade, HTTP2-Settings'],
  ...['Upgrade: websocket', 'Upgrade: h2c', 'Upgrade: TLS/1.0', 'HTTP2-Settings: AAMAAABk'],
  ...['Expect: 100-continue', 'Expect: 200-ok', 'Host: other', 'Host:', 'Host: a b', 'Host: ['],
  ...['Content-Length: 0', 'Content-Length: 9', 'Content-Length: -1', 'Content-Length: 1e3'],
  ...['Content-Length: 99999999999999999999', 'Content-Length: 9007199254740993'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked, a'],
  ...[
    'Content-Encoding: gzip',
    'Content-Type: text/plain',
    'Authorization: Basic a',
    'TE: trailers',
  ],
  ...['X-Name: \x01', 'X-Name: é', ': empty', 'No colon', ' folded: line', '__proto__: x'],
  ...[
    'constructor: x',
    'Trailer: X-Name',
    'Keep-Alive: timeout=0',
    'Origin: null',
    'Range: bytes=0-',
  ],
]

/** Every kind of hostile connection. */
export const attacks: readonly Attack[] = [
  {
    name: 'any request',
    weight: 300,
    draw: (random) => ({ steps: [{ send: anyRequest(random) }] }),
  },
  {
    name: 'mutated request',
    weight: 200,
    draw: (random) => ({ steps: [{ send: mutate(anyRequest(random), random) }] }),
  },
  {
    name: 'random bytes',
    weight: 60,
    draw: (random) => ({ steps: [{ send: randomBytes(random, 1 << random.below(13)) }] }),
  },
  {
    name: 'nothing',
    weight: 20,
    draw: () => ({ steps: [] }),
  },
  {
    name: 'CONNECT or Upgrade',
    weight: 60,
    draw(random) {
      const head = random.pick([
        request({ method: 'CONNECT', target: random.pick(['a:1', '/plants', 'garden:443']) }),
        request({ headers: ['Connection: Upgrade', 'Upgrade: websocket'] }),
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      ])
      return { steps: [{ send: Buffer.concat([head, randomBytes(random, random.below(64))]) }] }
    },
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
    name: 'one byte at a time',
    weight: 30,
    draw: (random) => ({
      steps: [{ send: anyValidRequest(random), pieceBytes: 1 + random.below(3) }],
    }),
  },
  {
    name: 'slow sender',
    weight: 20,
    draw(random) {
      const send = anyValidRequest(random)
      return { steps: [{ send, pieceBytes: 20 + random.below(60), everyMs: 1 + random.below(40) }] }
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
    name: 'many headers',
    weight: 20,
    draw(random) {
      const count = 1 << random.below(15)
      const line = random.pick([
        'a:b',
        'Host: a',
        'Authorization: Bearer now',
        'X-A: b',
        'Cookie: a',
      ])
      return {
        steps: [{ send: request({ headers: Array(count).fill(line) }) }],
        detail: `${count} times ${line}`,
      }
    },
  },
  {
    name: 'long header',
    weight: 10,
    draw(random) {
      const length = 1 << random.below(21)
      const name = random.pick(['X-A', 'Host', 'Content-Type', 'Authorization'])
      return {
        steps: [{ send: request({ headers: [`${name}: ${'a'.repeat(length)}`] }) }],
        detail: `${name}, ${length} bytes`,
      }
    },
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
    name: 'malformed chunks',
    weight: 40,
    draw(random) {
      const whole = chunkedRequest(Buffer.from(PLANT), 1 + random.below(50), random.pick(TOKENS))
      return { steps: [{ send: mutate(whole, random) }] }
    },
  },
  {
    name: 'chunk extensions or trailers',
    weight: 10,
    draw(random) {
      const length = 1 << random.below(21)
      const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
      const head = request({ method: 'POST', token: random.pick(TOKENS), headers })
      const rest = random.pick([
        `2;${'a'.repeat(length)}\r\n{}\r\n0\r\n\r\n`,
        `${'1;a=b\r\n9\r\n'.repeat(length / 16)}0\r\n\r\n`,
        `2\r\n{}\r\n0\r\n${'a: b\r\n'.repeat(length / 16)}\r\n`,
        `2\r\n{}\r\n0\r\nAuthorization: Bearer now\r\n\r\n`,
      ])
      return { steps: [{ send: Buffer.concat([head, Buffer.from(rest)]) }], detail: `${length}` }
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
    version: random.pick(VERSIONS),
    token: random.pick(TOKENS),
    headers: Array.from({ length: random.below(4) }, () => random.pick(HEADERS)),
  }
  return request(random.below(2) === 0 ? parts : { ...parts, body: PLANT })
}

function anyValidRequest(random: Random): Buffer {
  return random.pick(validRequests(random.pick(TOKENS)))
}
