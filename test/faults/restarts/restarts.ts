// Restarts two servers in turn behind proxies, under clients that retry nothing:
//
//     npm run restarts -- --restarts 200 --clients 32
//
// `--proxy nginx` chooses one, and `--runtime bun` starts the servers with another runtime.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Program, startProgram } from '../../runtimes/program.ts'
import { freePort } from '../../shared/free-port.ts'
import { httpStorage } from '../http-storage.ts'
import { startLoad } from '../load.ts'
import { type ProxyName, proxies } from './proxies.ts'

/** How long a proxy may need to notice that a server is back. */
const SETTLE_MS = 200

/**
 * Restarts two servers in turn, behind a proxy and under load.
 *
 * @param runtime what starts a server, such as `['bun']`
 * @returns how many requests there were, and what clients saw that they should not
 */
export async function runRestarts(
  proxy: ProxyName,
  restarts: number,
  clients: number,
  runtime = [process.execPath],
) {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-restarts-'))
  const ports = [await freePort(), await freePort()]
  const command = [...runtime, 'test/faults/server.ts', join(folder, 'plants.db')]
  const start = (port: number) => startProgram([...command, `${port}`])
  const servers: Program[] = []
  for (const port of ports) servers.push(await start(port))
  const port = await freePort()
  const close = await proxies[proxy].start(port, ports)
  const storage = httpStorage(async () => `http://127.0.0.1:${port}`)
  try {
    const load = startLoad(storage, 1, clients)
    const problems: unknown[] = []
    for (let count = 0; count < restarts; count++) {
      await delay(SETTLE_MS)
      const turn = count % ports.length
      const code = await servers[turn]!.signal('SIGTERM')
      if (code !== 0) problems.push(`A server ended with ${code}`)
      servers[turn] = await start(ports[turn]!)
    }
    const { operations, errors, violations } = await load.finish()
    return { operations, problems: [...problems, ...errors, ...violations] }
  } finally {
    for (const server of servers) await server.kill()
    await close()
    await rm(folder, { recursive: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      restarts: { type: 'string', default: '200' },
      clients: { type: 'string', default: '32' },
      proxy: { type: 'string', multiple: true, default: Object.keys(proxies) },
      runtime: { type: 'string' },
    },
  })
  for (const proxy of values.proxy as ProxyName[]) {
    const { missing } = proxies[proxy]
    if (missing) {
      console.error(`Without ${proxy}: ${missing}`)
      continue
    }
    const { operations, problems } = await runRestarts(
      proxy,
      Number(values.restarts),
      Number(values.clients),
      values.runtime?.split(' '),
    )
    for (const problem of problems.slice(0, 20)) console.error(proxy, problem)
    if (problems.length > 0) process.exitCode = 1
    console.log(`${proxy}: ${operations} requests, ${problems.length} problems`)
  }
}
