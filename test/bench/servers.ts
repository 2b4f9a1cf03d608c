import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundleWorker } from '../runtimes/workerd-start.ts'
import { ask, stop } from '../shared/processes.ts'
import { dataDirectory } from './data-directory.ts'
import { NODE, start, startScript } from './processes.ts'

/** A server in a process of its own. */
export interface Server extends Address {
  name: string
  /** The CPU time that the server has used so far, in µs. */
  cpu(): number
  /** Asks the server's process for something else: see server-process.ts. */
  ask<Answer>(what: string): Promise<Answer>
  stop(): Promise<void>
}

export interface Address {
  port: number
  /** For lists, if the server wants another than the usual one. */
  token?: string
}

/** A server that can be started in each generation of a comparison. */
export interface Contestant {
  name: string
  start(): Promise<Server>
}

/**
 * `servers/<module>.ts` on a runtime. `module#mount` is the plant store mounted in its framework.
 * The storage is written as server-process.ts takes it.
 */
export const on =
  (...runtime: string[]) =>
  (name: string, module: string, storage = 'map:5001'): Contestant => ({
    name,
    async start() {
      const child = startScript('server', 'server-process.ts', [module, storage], runtime)
      return toServer(name, child, await ask(child, { what: 'address' }))
    },
  })

export const node = on(...NODE)
export const bun = on('bun', 'run')
export const deno = on('deno', 'run', '--no-check', '--allow-all')

/** A Worker of servers/ on workerd. */
export const workerd = (name: string, module: string): Contestant => ({
  name,
  async start() {
    const directory = dataDirectory()
    const config = join(directory, 'config.capnp')
    await writeFile(config, WORKERD_CONFIG)
    const external = ['node:*', '@hono/node-server']
    const entry = new URL(`servers/${module}.ts`, import.meta.url)
    const worker = await bundleWorker(entry, { minify: true, external })
    await writeFile(join(directory, 'worker.js'), worker)
    // workerd reports its port as a line of JSON, which is what Node's channel to a child takes.
    const program = createRequire(import.meta.url)('workerd').default
    const child = start('server', [program, 'serve', '--control-fd=3', config])
    const [{ port }] = await once(child, 'message')
    return toServer(name, child, { port })
  },
})

const WORKERD_CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2025-11-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

function toServer(name: string, child: ChildProcess, address: Address): Server {
  return {
    name,
    ...address,
    cpu: () => cpuOfProcess(child.pid!),
    ask: (what) => ask(child, { what }),
    stop: () => stop(child),
  }
}

/** The CPU time that all threads of a process have used, in µs. Needs Linux. */
function cpuOfProcess(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [running] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    nanoseconds += Number(running)
  }
  return nanoseconds / 1000
}
