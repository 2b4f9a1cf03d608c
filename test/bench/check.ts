import assert from 'node:assert/strict'
import { type Server, send } from './servers.ts'

type Exchange = [request: string, status: number, body?: string, token?: string, type?: string]

/** The requests that follow each other on every server, and the status of each. The measurements use other ids. */
const EXCHANGES: Exchange[] = [
  ['GET ?limit=10', 200],
  ['GET ?limit=500', 200],
  ['GET ?limit=0', 200],
  ['GET ?limit=ten', 400],
  ['GET ?limit=10', 401, undefined, 'no'],
  ['POST ', 200, '{"id":-7,"name":"Monstera","color":"green","tag":"ü\\"\\n"}'],
  ['POST ', 400, '{"id":-7,"name":"Monstera"}'],
  ['POST ', 200, '{"id":-8,"name":"Monstera"}'],
  ['POST ', 400, '{"id":1,'],
  ['POST ', 415, '{"id":1,"name":"x"}', undefined, 'text/plain'],
  ['POST ', 400, '{"id":1}'],
  ['POST ', 400, '{"id":1,"name":7}'],
  ['POST ', 400, '{"id":1,"name":"\\u0000"}'],
  ['POST ', 400, '{"id":1.5,"name":"x"}'],
  ['POST ', 413, `{"id":1,"name":"${'x'.repeat(2 ** 16)}"}`],
  ['DELETE /-7', 204],
  ['DELETE /-7', 404],
  // A database is measured again in the next generation.
  ['DELETE /-8', 204],
  ['DELETE /007', 400],
  ['GET -of-mine?limit=10', 404],
]

const PLANTS_OF_READER = 100

/**
 * Checks that servers answer what the first of them does, before anything is measured: the same bytes to what
 * succeeds, the same status to what fails. It creates the plants that the load lists.
 *
 * @throws AssertionError that names the server and the request
 */
export async function checkSameAnswers(servers: Server[]): Promise<void> {
  const expected: unknown[] = []
  for (const server of servers) {
    for (let id = 1; id <= PLANTS_OF_READER; id++) {
      const body = `{"id":${id},"name":"Monstera ${id}","tag":"indoor"}`
      // Some servers have them already.
      const { status } = await answerTo(send(server, 'POST ', body, 'token-of-a-reader'))
      assert.match(`${status}`, /^[24]00$/)
    }
    for (const [i, [request, status, ...rest]] of EXCHANGES.entries()) {
      const answer = await answerTo(send(server, request, ...rest))
      const what = `${server.name}, ${request} ${rest[0]?.slice(0, 50) ?? ''}`
      assert.equal(answer.status, status, `${what}: ${answer.body}`)
      expected[i] ??= answer
      if (status < 400) assert.deepEqual(answer, expected[i], what)
    }
  }
}

async function answerTo(sent: Promise<Response>) {
  const response = await sent
  const { status, headers } = response
  const shown = ['link', 'x-content-type-options', 'cache-control'].map((name) => headers.get(name))
  // A 204 has none, whatever a framework sends.
  const sentType = status === 204 ? undefined : headers.get('content-type')?.split(';')[0]
  return { status, body: await response.text(), shown, sentType }
}
