import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { freePort } from '../../shared/free-port.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { startClients } from './clients.ts'
import { PROXIES } from './proxies.ts'

export interface RestartOptions {
  proxy: keyof typeof PROXIES
  storage: 'SQLite' | 'PostgreSQL'
  restarts: number
  clients: number
  /** How a server is started, such as `['bun']`. Default: with this Node. */
  runtime?: string[]
}

export interface RestartResult {
  /** The number of requests that were answered as they should be. */
  answered: number
  /** What clients saw, and what was lost. */
  errors: string[]
  /** How long the slowest stop took, in ms. */
  slowestStopMs: number
}

/** How long a proxy may need to notice that a server is back. */
const SETTLE_MS = 200

/** Restarts two servers in turn, behind a proxy and under load. */
export async function runRestarts(options: RestartOptions): Promise<RestartResult> {
  const place = options.storage === 'SQLite' ? await newFile() : await newDatabase()
  const ports = [await freePort(), await freePort()]
  const { runtime = [process.execPath] } = options
  const script = 'test/faults/restarts/server.ts'
  const start = (port: number) => startProgram([...runtime, script, `${port}`, place.name])
  // One after the other, since both would create the table.
  const servers: Program[] = []
  for (const port of ports) servers.push(await start(port))
  const proxy = await PROXIES[options.proxy].start(ports)
  let slowestStopMs = 0
  try {
    const clients = await startClients(options.clients, proxy.port)
    const errors: string[] = []
    for (let count = 0; count < options.restarts; count++) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
      const turn = count % ports.length
      const before = performance.now()
      const code = await servers[turn]!.signal('SIGTERM')
      slowestStopMs = Math.max(slowestStopMs, performance.now() - before)
      if (code !== 0) errors.push(`A server ended with ${code}`)
      servers[turn] = await start(ports[turn]!)
    }
    errors.push(...(await clients.finish()))
    return { answered: clients.answered(), errors, slowestStopMs }
  } finally {
    for (const server of servers) await server.kill()
    await proxy.close()
    await place.remove()
  }
}

async function newFile() {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-restarts-'))
  return { name: join(folder, 'plants.db'), remove: () => rm(folder, { recursive: true }) }
}

async function newDatabase() {
  const postgres = await createPostgres()
  const { default: pg } = await import('pg')
  const pool = new pg.Pool(postgres.connection)
  await postgresStorage(pool).migrate()
  await pool.end()
  return { name: JSON.stringify(postgres.connection), remove: () => postgres.remove() }
}
