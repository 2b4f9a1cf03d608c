import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATH, ROOT } from '../runtimes/program.ts'
import { ask, startProcess, stop } from '../shared/processes.ts'
import { type Connection, play } from './connection.ts'
import type { GoodReport } from './good-client.ts'
import type { Report } from './server.ts'

const NODE = 'node --expose-gc'
const SERVER = 'test/hostile/server.ts'

/** Every server, by its command. */
const hosts = {
  /** What the benchmark compares the plant store with: the same work by hand on node:http. */
  bare: `${NODE} ${SERVER} bare`,
  node: `${NODE} ${SERVER} plant-store#serve`,
  node22: `test/runtimes/nodes/node_modules/node22/bin/${NODE} ${SERVER} plant-store#serve`,
  node26: `test/runtimes/nodes/node_modules/node26/bin/${NODE} ${SERVER} plant-store#serve`,
  handler: `${NODE} ${SERVER} plant-store#mount`,
  express: `${NODE} ${SERVER} express#mount`,
  fastify: `${NODE} ${SERVER} fastify#mount`,
  bun: `bun --expose-gc ${SERVER} plant-store#serve`,
  deno: `deno run --allow-all --v8-flags=--expose-gc ${SERVER} plant-store#serve`,
}
export type HostName = keyof typeof hosts

/** The hosts that the plant store runs on. */
export const storeHosts = (Object.keys(hosts) as HostName[]).filter((host) => host !== 'bare')

/** One of each adapter that reads a socket in its own way: those that `npm test` attacks. */
export const QUICK_HOSTS: HostName[] = ['node', 'fastify', 'bun', 'deno']

/** Not a measurement: a server that keeps a client waiting for so long is as good as dead. */
export const LIVENESS_MS = 10_000

/** Most of them wait: for an answer, or for the server to close. */
const CONNECTIONS_AT_ONCE = 256
/** What may be more than before the attack. Freed memory goes back to the system late, and in part. */
const MARGINS = { heapMiB: 16, rssMiB: 512, descriptors: 4 }
/** A server is stalled when it doesn't report within this time. */
const STALLED_MS = 60_000
/** Time for what still runs to end: verifiers and storages that never answer time out in a second. */
const SETTLE_MS = 20_000
const SETTLE_STEP_MS = 100

/** A server under attack, and a good client beside. */
export type Target = Awaited<ReturnType<typeof startTarget>>

/** Starts a host and its good client. What the first connections make it keep is part of its normal size. */
export async function startTarget(host: HostName, warmUp: Iterable<Connection> = []) {
  const server = startProcess(hosts[host].split(' '), {
    cwd: ROOT,
    env: { ...process.env, PATH },
    // Nobody reads what `onError` prints, and a pipe would slow the server down.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const askServer = <T>(what: string) => ask<T>(server, { what }, AbortSignal.timeout(STALLED_MS))
  const report = () => askServer<Report>('report')
  const port = await askServer<number>('port')
  const open = new Set<string>()
  let death: string | undefined
  server.on('message', ({ error }: { error?: string }) => {
    if (error) death ??= [error, ...open].join('\nopen when it ended: ')
  })

  const program = join(import.meta.dirname, 'good-client.ts')
  const goodClient = startProcess([process.execPath, program, `${port}`], {})
  const pause = () => ask<GoodReport>(goodClient, { what: 'pause' })
  const resume = () => ask<void>(goodClient, { what: 'resume' })
  await resume()
  await playAll(warmUp)
  await sleep(SETTLE_STEP_MS)
  await pause()
  const normal = await report()
  await resume()

  /** Plays the connections until all are over or the server has ended. */
  async function playAll(connections: Iterable<Connection>): Promise<void> {
    const queue = connections[Symbol.iterator]()
    async function playNext(): Promise<void> {
      for (let { value, done } = queue.next(); !done; { value, done } = queue.next()) {
        if (death !== undefined) return
        open.add(value.name)
        await play(value, port)
        open.delete(value.name)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, playNext))
  }

  /**
   * Plays the connections, many at a time.
   *
   * @returns the longest time that the good client has waited meanwhile, in ms
   * @throws an Error that names what is wrong and the connections that were open, when the process has
   *   ended, something went unhandled, the good client got a wrong answer or nothing, or memory or file
   *   descriptors were not given back
   */
  async function attack(connections: Iterable<Connection>): Promise<number> {
    await playAll(connections)
    const seen: GoodReport[] = []
    // Waits for the server to become as small as before.
    for (const end = Date.now() + SETTLE_MS; ; await sleep(SETTLE_STEP_MS)) {
      // It must not wait for the collection of garbage that the report takes.
      seen.push(await pause())
      const problem = death ?? (await report().then((now) => excess(normal, now), String))
      await resume()
      const problems = problem === undefined ? [] : [problem]
      if (problem !== undefined && death === undefined && Date.now() < end) continue
      const wrong = seen.flatMap((report) => report.wrong)
      const longestWaitMs = Math.max(...seen.map((report) => report.longestWaitMs))
      if (wrong.length > 0) problems.push(`the good client got: ${wrong.join(' | ')}`)
      if (longestWaitMs === 0) problems.push('the good client got no answer')
      if (problems.length > 0) throw new Error(problems.join('\n'))
      return longestWaitMs
    }
  }

  return {
    attack,
    async stop() {
      await stop(goodClient)
      await stop(server)
    },
  }
}

/** Says what is wrong with a server after an attack, if something is. */
function excess(normal: Report, now: Report): string | undefined {
  if (now.unhandled.length > 0) return `unhandled: ${now.unhandled.slice(0, 3).join('\n')}`
  for (const [name, margin] of Object.entries(MARGINS) as [keyof typeof MARGINS, number][]) {
    const [before, after] = [normal[name], now[name]]
    if (after > before + margin) return `${name} stays at ${after}; it was ${before}`
  }
  return undefined
}
