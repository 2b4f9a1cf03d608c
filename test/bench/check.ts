import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

const WRITER = { authorization: 'Bearer token-of-a-writer' }
const READER = { authorization: 'Bearer token-of-a-reader' }
const JSON_TYPE = { 'content-type': 'application/json' }

const plant = (id: number, more = {}) => JSON.stringify({ id, name: `Monstera ${id}`, ...more })

/** What every server must answer alike, in this order. Ids beyond what is measured. */
const EXCHANGES: {
  what: string
  path?: string
  init: RequestInit
  status: number
  name?: string
}[] = [
  { what: 'list', path: '?limit=10', init: { headers: READER }, status: 200 },
  { what: 'list all there are', path: '?limit=500', init: { headers: READER }, status: 200 },
  { what: 'list none', path: '?limit=0', init: { headers: READER }, status: 200 },
  {
    what: 'list the second page',
    path: '?limit=10&cursor=000000000000000a',
    init: { headers: READER },
    status: 200,
  },
  { what: 'bad cursor', path: '?limit=10&cursor=a', init: { headers: READER }, status: 400 },
  { what: 'bad limit', path: '?limit=ten', init: { headers: READER }, status: 400 },
  { what: 'no token', path: '?limit=10', init: {}, status: 401 },
  { what: 'bad token', init: { headers: { authorization: 'Bearer no' } }, status: 401 },
  ...[
    { what: 'create', body: plant(-7, { tag: 'indoor' }), status: 200 },
    { what: 'create the same', body: plant(-7), status: 400 },
    { what: 'create without tag', body: plant(-8), status: 200 },
    { what: 'create with more', body: plant(-9, { color: 'green', tag: 'ü"\n' }), status: 200 },
    { what: 'bad JSON', body: '{"id":1,', status: 400 },
  ].map(({ what, body, status }) => ({
    what,
    init: { method: 'POST', headers: { ...WRITER, ...JSON_TYPE }, body },
    status,
  })),
  ...[
    { what: 'no JSON', body: plant(-1), type: 'text/plain', status: 415 },
    { what: 'no name', body: '{"id":1}', status: 400 },
    { what: 'a name that is no string', body: '{"id":1,"name":7}', status: 400 },
    { what: 'a name with U+0000', body: '{"id":1,"name":"\\u0000"}', status: 400 },
    { what: 'an id that is no integer', body: '{"id":1.5,"name":"x"}', status: 400 },
  ].map(({ what, body, type = 'application/json', status }) => ({
    what,
    init: { method: 'POST', headers: { ...WRITER, 'content-type': type }, body },
    status,
    // The message is each server's own.
    name: 'status only',
  })),
]

/** Fills the reader's list, through the front door of a server whose storage it can't reach. */
export const PLANTS_OF_READER = 100

/**
 * Checks that servers answer byte for byte what the first of them does, before anything is measured.
 *
 * @throws AssertionError that names the server and the request
 */
export async function checkSameAnswers(servers: { name: string; port: number }[]): Promise<void> {
  for (const { port } of servers) {
    for (let id = 1; id <= PLANTS_OF_READER; id++) {
      const response = await fetch(`http://127.0.0.1:${port}/plants`, {
        method: 'POST',
        headers: { ...READER, ...JSON_TYPE },
        body: plant(id, { tag: 'indoor' }),
      })
      assert.equal(response.status, 200)
      await response.arrayBuffer()
    }
  }
  for (const { what, path = '', init, status, name } of EXCHANGES) {
    let expected: unknown
    for (const server of servers) {
      const response = await fetch(`http://127.0.0.1:${server.port}/plants${path}`, init)
      const body = await response.text()
      const answer = {
        status: response.status,
        ...(name === undefined && {
          body,
          type: response.headers.get('content-type')?.split(';')[0],
          link: response.headers.get('link'),
          nosniff: response.headers.get('x-content-type-options'),
          cache: response.headers.get('cache-control'),
          challenged: response.headers.has('www-authenticate'),
        }),
      }
      assert.equal(answer.status, status, `${server.name}, ${what}: ${body}`)
      expected ??= answer
      assert.deepEqual(answer, expected, `${server.name}, ${what}`)
    }
  }
  for (const { name, port } of servers) {
    assert.equal(await statusOfTooLargeBody(port), 413, `${name}, too large`)
  }
}

/**
 * Most servers refuse what is announced, and may close the connection on a body that is sent all the
 * same; Express answers when the body has come, so it is sent to who doesn't answer.
 */
async function statusOfTooLargeBody(port: number): Promise<number> {
  const announcement = request({
    port,
    host: '127.0.0.1',
    path: '/plants',
    method: 'POST',
    headers: { ...WRITER, ...JSON_TYPE, 'content-length': 2 ** 21 },
  })
  announcement.on('error', () => {})
  announcement.flushHeaders()
  const silence = setTimeout(() => announcement.end(Buffer.alloc(2 ** 21)), 500)
  const [response] = (await once(announcement, 'response')) as [IncomingMessage]
  clearTimeout(silence)
  announcement.destroy()
  return response.statusCode!
}
