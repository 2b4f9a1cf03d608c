import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Figure, Section } from '../figures.ts'
import { measureGenerations } from '../generations.ts'
import { cpuOfProcess, start, stop } from '../processes.ts'
import { describe, type Measured, ratios } from '../rounds.ts'
import type { Server } from '../server.ts'

type Variant = 'bare' | 'plant-store'

/** The plant store on Bun, Deno and workerd, each against a bare fetch handler on the same runtime. */
export const runtimes: Section = {
  name: 'runtimes',
  about: 'Bun, Deno and workerd: CPU a request against a bare fetch handler',
  async run(log) {
    const figures: Figure[] = []
    for (const [runtime, startOn] of [
      ['Bun', startBun],
      ['Deno', startDeno],
      ['workerd', startWorkerd],
    ] as const) {
      for (const kind of ['list', 'create'] as const) {
        log(`${runtime}, ${kind}`)
        const [bare, own] = (await measureGenerations(
          [() => startOn('bare'), () => startOn('plant-store')],
          { kind, generations: 4, rounds: 6, count: 6_000, warmup: 16_000, connections: 32 },
          log,
        )) as [Measured, Measured]
        const { median: value, low, high } = ratios(own, bare, 'cpu')
        figures.push({
          section: 'runtimes',
          work: `${kind === 'list' ? 'list 10' : 'create'} on ${runtime}`,
          subject: 'plant-store',
          value,
          low,
          high,
          unit: '× bare',
          atMost: 1.1,
          note: `${describe(own)}; bare ${describe(bare)}`,
        })
      }
    }
    return figures
  },
}

const require = createRequire(import.meta.url)
const path = (file: string) => fileURLToPath(new URL(`../runtimes/${file}`, import.meta.url))
const bin = (name: string) =>
  fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url))

function startBun(variant: Variant): Promise<Server> {
  return startPrinting(`${variant} on Bun`, bin('bun'), ['run', path('bun.ts'), variant])
}

function startDeno(variant: Variant): Promise<Server> {
  // The package's bin is a Node program that stays in front of Deno: its CPU is not Deno's.
  const besides = join(require.resolve('deno/package.json'), '../deno')
  const deno = existsSync(besides) ? besides : require('deno/install_api.cjs').runInstall()
  const args = ['run', '--no-check', '--allow-net', '--allow-env', path('deno.ts'), variant]
  return startPrinting(`${variant} on Deno`, deno, args)
}

async function startPrinting(name: string, command: string, args: string[]): Promise<Server> {
  const child = start('server', command, args)
  const [line] = await once(createInterface(child.stdout!), 'line')
  return toServer(name, child, Number(line))
}

async function startWorkerd(variant: Variant): Promise<Server> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-bench-'))
  const port = await freePort()
  await build({
    entryPoints: [path(`workerd-${variant}.ts`)],
    outfile: join(directory, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'esnext',
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
  const child = start('server', require('workerd').default, ['serve', config])
  while (!(await answers(port))) await delay(20)
  await rm(directory, { recursive: true })
  return toServer(`${variant} on workerd`, child, port)
}

function toServer(name: string, child: ReturnType<typeof start>, port: number): Server {
  return {
    name,
    port,
    cpu: () => cpuOfProcess(child.pid!),
    ask: () => Promise.reject(new Error('Only servers on Node can be asked')),
    stop: () => stop(child),
  }
}

/** workerd tells nobody which port it has been given. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function answers(port: number): Promise<boolean> {
  try {
    await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
    return true
  } catch {
    return false
  }
}
