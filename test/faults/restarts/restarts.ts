// Restarts two servers in turn behind proxies, under clients that retry nothing:
//
//     npm run restarts -- --restarts 200 --clients 32
//
// `--proxy nginx` chooses one, and `--runtime bun` starts the servers with another runtime.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { freePort } from '../../shared/free-port.ts'
import { startClients } from './clients.ts'
import { PROXIES } from './proxies.ts'

export interface RestartOptions {
  proxy: keyof typeof PROXIES
  restarts: number
  clients: number
  /** How a server is started, such as `['bun']`. Default: with this Node. */
  runtime?: string[]
}

/** How long a proxy may need to notice that a server is back. */
const SETTLE_MS = 200

/**
 * Restarts two servers in turn, behind a proxy and under load.
 *
 * @returns how many requests were answered as they should be, what clients saw and what was lost, and how long the
 *   slowest stop took, in ms
 */
export async function runRestarts(options: RestartOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-restarts-'))
  const ports = [await freePort(), await freePort()]
  const { runtime = [process.execPath] } = options
  const script = 'test/faults/restarts/server.ts'
  const start = (port: number) =>
    startProgram([...runtime, script, `${port}`, join(folder, 'plants.db')])
  // One after the other, since both would create the table.
  const servers: Program[] = []
  for (const port of ports) servers.push(await start(port))
  const proxy = await PROXIES[options.proxy].start(ports)
  let slowestStopMs = 0
  try {
    const clients = startClients(options.clients, proxy.port)
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
    await rm(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      restarts: { type: 'string', default: '200' },
      clients: { type: 'string', default: '32' },
      proxy: { type: 'string' },
      runtime: { type: 'string' },
    },
  })
  const rows: Record<string, unknown>[] = []
  for (const [proxy, { missing }] of Object.entries(PROXIES)) {
    if (values.proxy && values.proxy !== proxy) continue
    if (missing) {
      console.error(`Without ${proxy}: ${missing}`)
      continue
    }
    const { answered, errors, slowestStopMs } = await runRestarts({
      proxy: proxy as keyof typeof PROXIES,
      restarts: Number(values.restarts),
      clients: Number(values.clients),
      runtime: values.runtime?.split(' '),
    })
    for (const error of errors.slice(0, 20)) console.error(`${proxy}: ${error}`)
    const slowest = `${Math.round(slowestStopMs)} ms`
    rows.push({ proxy, answered, errors: errors.length, 'slowest stop': slowest })
    if (errors.length > 0) process.exitCode = 1
  }
  if (rows.length === 0) {
    console.error(`Nothing was run. The proxies are ${Object.keys(PROXIES).join(', ')}`)
    process.exitCode = 1
  }
  console.table(rows)
}
