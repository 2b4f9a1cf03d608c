import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { freePort } from '../shared/free-port.ts'
import { ask, cpuOfProcess, NODE_ARGS, start, startScript, stop } from './processes.ts'

/** A server in a process of its own. */
export interface Server {
  port: number
  /** The CPU time that the server has used so far, in µs. */
  cpu(): number
  /** Asks the server's process for something else: see server-process.ts. */
  ask<Answer>(what: string): Promise<Answer>
  stop(): Promise<void>
}

/** A server that can be started in each generation of a comparison. */
export interface Contestant {
  name: string
  start(generation: number): Promise<Server>
}

/** The storage of a server, as server-process.ts takes it; a function if each generation has its own. */
type Storage = string | ((generation: number) => string | Promise<string>)

const require = createRequire(import.meta.url)

/** `servers/<module>.ts` on a runtime. `module#mount` is the plant store mounted in its framework. */
function runtime(command: () => [program: string, ...args: string[]]) {
  return (name: string, module: string, storage: Storage = 'map'): Contestant => ({
    name,
    async start(generation) {
      const where = typeof storage === 'string' ? storage : await storage(generation)
      const [program, ...args] = command()
      const child = startScript('server', 'server-process.ts', [module, where], [program, ...args])
      return {
        port: await ask<number>(child, { what: 'port' }),
        cpu: () => cpuOfProcess(child.pid!),
        ask: (what) => ask(child, { what }),
        stop: () => stop(child),
      }
    },
  })
}

export const node = runtime(() => [process.execPath, ...NODE_ARGS])

export const bun = runtime(() => [
  fileURLToPath(new URL('../../node_modules/.bin/bun', import.meta.url)),
  'run',
])

export const deno = runtime(() => {
  // The package's bin is a Node program that stays in front of Deno: its CPU is not Deno's.
  const beside = join(require.resolve('deno/package.json'), '../deno')
  const program = existsSync(beside) ? beside : require('deno/install_api.cjs').runInstall()
  return [program, 'run', '--no-check', '--allow-all']
})

/** A Worker of servers/ on workerd. */
export function workerd(name: string, module: string): Contestant {
  return {
    name,
    async start() {
      const directory = await mkdtemp(join(tmpdir(), 'plant-store-bench-'))
      // workerd doesn't report the port that it was given.
      const port = await freePort()
      await build({
        entryPoints: [fileURLToPath(new URL(`servers/${module}.ts`, import.meta.url))],
        outfile: join(directory, 'worker.js'),
        bundle: true,
        minify: true,
        format: 'esm',
        target: 'esnext',
        external: ['@hono/node-server'],
        logLevel: 'error',
      })
      const config = join(directory, 'config.capnp')
      await writeFile(
        config,
        `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2025-11-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
      )
      const child = start('server', [require('workerd').default, 'serve', config])
      while (!(await answers(port))) await delay(20)
      await rm(directory, { recursive: true })
      return {
        port,
        cpu: () => cpuOfProcess(child.pid!),
        ask: () => Promise.reject(new Error('workerd cannot be asked')),
        stop: () => stop(child),
      }
    },
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
    return true
  } catch {
    return false
  }
}
