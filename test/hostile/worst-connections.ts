import { costly } from './bodies.ts'
import type { Connection } from './connection.ts'
import { chunkedRequest, MANY_PLANTS, PLANT, repeat, request } from './requests.ts'

/** The worst that one connection can do, by name. The long command compares each with a bare server. */
export const worstConnections: readonly Connection[] = [
  ...['now', 'later', 'late', 'throws', 'reads-request', 'nobody'].map((token) =>
    worst(`100 000 pipelined GETs, token ${token}`, repeat(request({ token }), 100_000)),
  ),
  worst('100 000 pipelined creates', repeat(request({ body: PLANT, token: 'later' }), 100_000)),
  worstBody('1 MiB in one-byte chunks', chunkedRequest(Buffer.alloc(2 ** 20 - 1, '9'), 1)),
  ...costly.map(({ name, body }) => worstBody(`1 MiB: ${name}`, request({ body: body() }))),
  worst('10 000 headers', request({ headers: Array(10_000).fill('a: b') })),
  worst('300 000 plants', request({ token: 'many', target: MANY_PLANTS })),
]

function worst(name: string, send: Buffer): Connection {
  return { name, steps: [{ send }, { waitMs: 1000 }], ending: 'reset' }
}

/** It is over once it is answered. A pipeline isn't: its first response comes before the rest is read. */
function worstBody(name: string, send: Buffer): Connection {
  return { name, steps: [{ send }], ending: 'reset when answered' }
}
