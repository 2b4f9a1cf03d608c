import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../../runtimes/program.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await createPostgres()
})
afterAll(() => postgres.remove())

async function startServer(closes: boolean) {
  const parameters = [JSON.stringify(postgres.connection), ...(closes ? ['closes'] : [])]
  const script = 'test/faults/postgres/server.ts'
  const { url, signal, kill } = await startProgram([process.execPath, script, ...parameters])
  onTestFinished(kill)
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
  const create = (id: number) =>
    fetch(`${url}/plants`, { method: 'POST', headers, body: JSON.stringify({ id, name: 'Fern' }) })
  /** Ends it as `docker stop` does, and returns its exit status. */
  return { create, terminate: () => signal('SIGTERM') }
}

function freeze(): void {
  postgres.freeze()
  onTestFinished(() => postgres.thaw())
}

// The server's graceMs is 1 s, and each of its other time limits is longer than this test's.
describe.each([true, false])('SIGTERM, when the store closes the pool: %s', (closes) => {
  it('ends the server', async () => {
    const server = await startServer(closes)
    expect((await server.create(closes ? 1 : 2)).status).toBe(200)
    expect(await server.terminate()).toBe(0)
  })

  it('ends the server while PostgreSQL is frozen', async () => {
    const server = await startServer(closes)
    await server.create(3)
    freeze()
    expect(await server.terminate()).toBe(0)
  })

  it('ends the server while calls wait for a frozen PostgreSQL', async () => {
    const server = await startServer(closes)
    await server.create(4)
    freeze()
    const creates = Promise.allSettled([5, 6, 7].map(server.create))
    // Long enough for the requests to arrive. If one does not, it is refused.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await server.terminate()).toBe(143)
    expect((await creates).map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
  })
})
