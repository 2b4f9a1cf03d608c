import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { bundleWorker } from '../runtimes/workerd-start.ts'
import { ask, stop } from '../shared/processes.ts'
import { NODE, newFile, start, startScript } from './processes.ts'

/** A server in a process of its own. */
export interface Server extends Address, AsyncDisposable {
  name: string
  pid: number
  /** The CPU time that the server has used so far, in µs. */
  cpu(): number
  /** Asks the server's process for something else: see server-process.ts. */
  ask<Answer>(what: string): Promise<Answer>
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
 * The storage and the variant of the store are written as server-process.ts takes them.
 */
export const on =
  (...runtime: string[]) =>
  (name: string, module: string, storage = 'memory:5001', variant = ''): Contestant => ({
    name,
    async start() {
      const args = [module, storage, variant]
      const child = startScript('server', 'server-process.ts', args, runtime)
      return toServer(name, child, await ask(child, { what: 'address' }))
    },
  })

export const node = on(...NODE)
export const bun = on('bun', 'run')
export const deno = on('deno', 'run', '--no-check', '--allow-all')

export const OWN = node('plant-store', 'plant-store#serve')
export const MOUNTED = node('plant-store, mounted', 'plant-store#mount')
export const FLOOR = node('floor', 'floor')
export const FASTIFY = node('Fastify', 'fastify')
export const ownOn = (storage: string) => node('plant-store', 'plant-store#serve', storage)

/** An export of servers/workers.ts on workerd. */
export const workerd = (name: string, worker: string): Contestant => ({
  name,
  async start() {
    const script = await bundleWorker(new URL('servers/workers.ts', import.meta.url), {
      minify: true,
      external: ['node:*', '@hono/node-server'],
    })
    const config = newFile('config.capnp')
    writeFileSync(config, workerdConfig(worker))
    writeFileSync(`${dirname(config)}/worker.js`, script)
    // workerd reports its port as a line of JSON, which is what Node's channel to a child takes.
    const program = createRequire(import.meta.url)('workerd').default
    const child = start('server', [program, 'serve', '--control-fd=3', config])
    const [{ port }] = await once(child, 'message')
    return toServer(name, child, { port })
  },
})

const workerdConfig = (worker: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2025-11-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (),
    service = (name = "main", entrypoint = "${worker}"))],
);
`

function toServer(name: string, child: ChildProcess, address: Address): Server {
  return {
    name,
    ...address,
    pid: child.pid!,
    cpu: () => cpuOfProcess(child.pid!),
    ask: (what) => ask(child, { what }),
    [Symbol.asyncDispose]: () => stop(child),
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

/** The resident memory of a server, or its peak since `forgetPeak`, in MiB. Needs Linux. */
export function memoryOf({ pid }: Server, when: 'now' | 'peak'): number {
  const field = when === 'now' ? 'VmRSS' : 'VmHWM'
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 2 ** 10
}

/** Makes the peak of a server's memory what is resident now (proc(5), clear_refs). */
export const forgetPeak = ({ pid }: Server) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** Sends a request such as `GET ?limit=10`: as the reader if it is a list, else as the writer, unless told. */
export function send(
  { port }: Server,
  request: string,
  body?: string,
  token?: string,
  type = 'application/json',
): Promise<Response> {
  const [method, path] = request.split(' ')
  const owner = token ?? (method === 'GET' ? 'token-of-a-reader' : 'token-of-a-writer')
  const headers = { authorization: `Bearer ${owner}`, ...(body && { 'content-type': type }) }
  return fetch(`http://127.0.0.1:${port}/plants${path}`, { method, headers, body })
}
