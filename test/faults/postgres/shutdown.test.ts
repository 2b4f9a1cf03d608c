import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await createPostgres()
  await postgres.start()
})
afterAll(() => postgres.remove())

async function startServer(closes: boolean) {
  const script = fileURLToPath(new URL('server.ts', import.meta.url))
  const parameters = [JSON.stringify(postgres.connection), ...(closes ? ['closes'] : [])]
  const child = spawn(process.execPath, [script, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const plants = `${String(line).trim()}/plants`
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
  const create = (id: number) =>
    fetch(plants, { method: 'POST', headers, body: JSON.stringify({ id, name: 'Fern' }) })
  return {
    create,
    /** Ends it as `docker stop` does, and returns its exit status. */
    async terminate() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
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
