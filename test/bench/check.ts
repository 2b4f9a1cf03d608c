import assert from 'node:assert/strict'

const READER = { authorization: 'Bearer token-of-a-reader' }
const WRITER = { authorization: 'Bearer token-of-a-writer' }

type Request = RequestInit & { path: string }

const get = (path: string, headers: HeadersInit = READER): Request => ({ path, headers })
const post = (body: string, owner = WRITER, type = 'application/json'): Request => ({
  ...{ path: '', method: 'POST', headers: { ...owner, 'content-type': type }, body },
})
const remove = (id: string): Request => ({ path: `/${id}`, method: 'DELETE', headers: WRITER })

/** The requests, in this order, and the status of each. The measurements use other ids. */
const EXCHANGES: [what: string, request: Request, status: number][] = [
  ['list', get('?limit=10'), 200],
  ['list all', get('?limit=500'), 200],
  ['list none', get('?limit=0'), 200],
  ['list the second page', get('?limit=10&cursor=000000000000000a'), 200],
  ['bad cursor', get('?limit=10&cursor=a'), 400],
  ['bad limit', get('?limit=ten'), 400],
  ['no token', get('?limit=10', {}), 401],
  ['bad token', get('', { authorization: 'Bearer no' }), 401],
  ['create', post('{"id":-7,"name":"Monstera","color":"green","tag":"ü\\"\\n"}'), 200],
  ['create the same', post('{"id":-7,"name":"Monstera"}'), 400],
  ['create without tag', post('{"id":-8,"name":"Monstera"}'), 200],
  ['bad JSON', post('{"id":1,'), 400],
  ['no JSON', post('{"id":1,"name":"x"}', WRITER, 'text/plain'), 415],
  ['no name', post('{"id":1}'), 400],
  ['a name that is not a string', post('{"id":1,"name":7}'), 400],
  ['a name with U+0000', post('{"id":1,"name":"\\u0000"}'), 400],
  ['an id that is not an integer', post('{"id":1.5,"name":"x"}'), 400],
  ['a body that is too large', post(`{"id":1,"name":"${'x'.repeat(2 ** 16)}"}`), 413],
  ['delete', remove('-7'), 204],
  ['delete it again', remove('-7'), 404],
  // A database is measured again in the next generation.
  ['delete the second', remove('-8'), 204],
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
      const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
      // Some servers have them already.
      assert.match(String((await send(port, post(body, READER))).status), /^[24]00$/)
    }
    for (const [i, [what, request, status]] of EXCHANGES.entries()) {
      const answer = await send(port, request)
      assert.equal(answer.status, status, `${name}, ${what}: ${answer.body}`)
      expected[i] ??= answer
      if (status < 400) assert.deepEqual(answer, expected[i], `${name}, ${what}`)
    }
  }
}

async function send(port: number, { path, ...init }: Request) {
  const response = await fetch(`http://127.0.0.1:${port}/plants${path}`, init)
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
