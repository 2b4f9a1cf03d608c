import type { Attack } from './attacks.ts'
import {
  END_HEADERS,
  END_STREAM,
  frame,
  PREFACE,
  requestHeaders,
  settings,
  TYPE,
} from './http2-frames.ts'

// Codes of RFC 9113, section 6.5.2 and section 7.
const INITIAL_WINDOW_SIZE = 4
const CANCEL = Buffer.of(0, 0, 0, 8)

const TOKENS = ['now', 'later', 'late', 'never', 'throws', 'rejects', 'storage-throws', 'nobody']
const PLANT = Buffer.from('{"id":7,"name":"Monstera"}')

/** Hostile connections that speak HTTP/2, and that are malformed for a server that doesn't. */
export const http2Attacks: readonly Attack[] = [
  {
    name: 'h2 requests',
    weight: 30,
    draw(random) {
      const token = random.pick(TOKENS)
      const count = 1 << random.below(9)
      return { steps: begin(streams(count, (id) => requestHeaders(id, { token }))), detail: token }
    },
  },
  {
    name: 'h2 rapid reset',
    weight: 8,
    draw(random) {
      const token = random.pick(TOKENS)
      const count = 1 << random.below(14)
      const requests = streams(count, (id) =>
        Buffer.concat([requestHeaders(id, { token }), frame(TYPE.rstStream, 0, id, CANCEL)]),
      )
      return { steps: begin(requests), detail: `${count}, ${token}` }
    },
  },
  {
    name: 'h2 create, cut off',
    weight: 30,
    draw(random) {
      const token = random.pick(TOKENS)
      const whole = createRequest(token, 1 + random.below(30))
      return { steps: begin(whole.subarray(0, random.below(whole.byteLength + 1))), detail: token }
    },
  },
  {
    name: 'h2 odd method or path',
    weight: 20,
    draw(random) {
      const method = random.pick(['CONNECT', 'TRACE', 'PRI', 'GET', '', 'G T', 'OPTIONS'])
      const path = random.pick(['/plants', '*', '', 'plants', '//', '/\0', 'http://a/plants', '/%'])
      return { steps: begin(requestHeaders(1, { method, path })), detail: `${method} ${path}` }
    },
  },
  {
    name: 'h2 slow reader',
    weight: 5,
    draw: (random) => ({
      steps: [
        ...begin(
          settings(INITIAL_WINDOW_SIZE, random.pick([0, 1])),
          requestHeaders(1, { token: 'many', path: '/plants' }),
        ),
        { waitMs: random.below(200) },
      ],
    }),
  },
]

function begin(...frames: Buffer[]) {
  return [{ send: Buffer.concat([PREFACE, settings(), ...frames]) }]
}

function streams(count: number, write: (id: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, index) => write(2 * index + 1)))
}

function createRequest(token: string, pieceBytes: number): Buffer {
  const parts = [requestHeaders(1, { method: 'POST', path: '/plants', token, flags: END_HEADERS })]
  for (let at = 0; at < PLANT.byteLength; at += pieceBytes) {
    parts.push(frame(TYPE.data, 0, 1, PLANT.subarray(at, at + pieceBytes)))
  }
  return Buffer.concat([...parts, frame(TYPE.data, END_STREAM, 1)])
}
