import assert from 'node:assert/strict'

const READER = { authorization: 'Bearer token-of-a-reader' }
const WRITER = { authorization: 'Bearer token-of-a-writer' }
const JSON_TYPE = { 'content-type': 'application/json' }

const plant = (id: number, more = {}) => JSON.stringify({ id, name: `Monstera ${id}`, ...more })
const get = (query: string, headers = READER) => ({ path: `/plants${query}`, headers })
const post = (body: string, headers: HeadersInit = { ...WRITER, ...JSON_TYPE }) => ({
  ...{ path: '/plants', method: 'POST', headers, body },
})
const remove = (id: string) => ({ path: `/plants/${id}`, method: 'DELETE', headers: WRITER })

/** The requests, in this order, and the status of each. The measurements use other ids. */
const EXCHANGES: [what: string, request: { path: string } & RequestInit, status: number][] = [
  ['list', get('?limit=10'), 200],
  ['list all', get('?limit=500'), 200],
  ['list none', get('?limit=0'), 200],
  ['list the second page', get('?limit=10&cursor=000000000000000a'), 200],
  ['bad cursor', get('?limit=10&cursor=a'), 400],
  ['bad limit', get('?limit=ten'), 400],
  ['no token', { path: '/plants?limit=10' }, 401],
  ['bad token', get('', { authorization: 'Bearer no' }), 401],
  ['create', post(plant(-7, { tag: 'indoor' })), 200],
  ['create the same', post(plant(-7)), 400],
  ['create without tag', post(plant(-8)), 200],
  ['create with more', post(plant(-9, { color: 'green', tag: 'ü"\n' })), 200],
  ['bad JSON', post('{"id":1,'), 400],
  ['no JSON', post(plant(-1), { ...WRITER, 'content-type': 'text/plain' }), 415],
  ['no name', post('{"id":1}'), 400],
  ['a name that is not a string', post('{"id":1,"name":7}'), 400],
  ['a name with U+0000', post('{"id":1,"name":"\\u0000"}'), 400],
  ['an id that is not an integer', post('{"id":1.5,"name":"x"}'), 400],
  ['a body that is too large', post(plant(-1, { tag: 'x'.repeat(2 ** 16) })), 413],
  ['delete', remove('-7'), 204],
  ['delete it again', remove('-7'), 404],
  // A database is measured again in the next generation.
  ['delete the second', remove('-8'), 204],
  ['delete the third', remove('-9'), 204],
  ['bad id', remove('007'), 400],
  ['another path', get('-of-mine?limit=10'), 404],
]

const PLANTS_OF_READER = 100

/**
 * Checks that servers answer what the first of them does, before anything is measured: the same bytes to what
 * succeeds, the same status to what fails. It creates the plants that the load lists.
 *
 * @throws AssertionError that names the server and the request
 */
export async function checkSameAnswers(servers: { name: string; port: number }[]): Promise<void> {
  const expected: unknown[] = []
  for (const { name, port } of servers) {
    for (let id = 1; id <= PLANTS_OF_READER; id++) {
      const init = post(plant(id, { tag: 'indoor' }), { ...READER, ...JSON_TYPE })
      // Some servers have them already.
      assert.match(String((await send(port, init)).status), /^[24]00$/)
    }
    for (const [i, [what, init, status]] of EXCHANGES.entries()) {
      const answer = await send(port, init)
      assert.equal(answer.status, status, `${name}, ${what}: ${answer.body}`)
      expected[i] ??= answer
      if (status < 400) assert.deepEqual(answer, expected[i], `${name}, ${what}`)
    }
  }
}

async function send(port: number, { path, ...init }: { path: string } & RequestInit) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  const { status, headers } = response
  return {
    status,
    body: await response.text(),
    // A 204 has none, whatever a framework sends.
    type: status === 204 ? undefined : headers.get('content-type')?.split(';')[0],
    link: headers.get('link'),
    nosniff: headers.get('x-content-type-options'),
    cache: headers.get('cache-control'),
  }
}
