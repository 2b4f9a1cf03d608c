import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, startProcess, stop } from '../shared/processes.ts'
import { type Connection, play } from './connection.ts'
import type { GoodReport } from './good-client.ts'
import type { HostName } from './hosts.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const MiB = 2 ** 20
/** Most of them wait: for an answer, or for the server to close. */
const CONNECTIONS_AT_ONCE = 256
/** The allowed growth of the heap since before the attack, measured after a full collection. */
const HEAP_MARGIN = 16 * MiB
/** Freed memory goes back to the system late, and in part. */
const RSS_MARGIN = 512 * MiB
const DESCRIPTOR_MARGIN = 4
/** Time for what still runs to end: verifiers and storages that never answer time out in a second. */
const SETTLE_MS = 20_000
const SETTLE_STEP_MS = 100

/** A server under attack, and a good client beside. */
export interface Target {
  /**
   * Plays the connections, many at a time.
   *
   * @returns what the good client has seen meanwhile
   * @throws an Error that names what is wrong and the connections that were open, when the process has
   *   ended, something went unhandled, the good client got a wrong answer or nothing, or memory or file
   *   descriptors were not given back
   */
  attack(connections: Iterable<Connection>): Promise<GoodReport>
  stop(): Promise<void>
}

/** Starts a host and its good client. What the first connections make it keep is part of its normal size. */
export async function startTarget(
  host: HostName,
  warmUp: Iterable<Connection> = [],
): Promise<Target> {
  const server = await startServer(host)
  const program = join(import.meta.dirname, 'good-client.ts')
  const goodClient = startProcess([process.execPath, program, `${server.port}`, host], {})
  const pause = () => ask<GoodReport>(goodClient, { what: 'pause' })
  const resume = () => ask<void>(goodClient, { what: 'resume' })
  await resume()
  await playAll(warmUp, server)
  await sleep(SETTLE_STEP_MS)
  await pause()
  const normal = await server.report()
  await resume()
  const normalDescriptors = await server.idleDescriptors()

  async function attack(connections: Iterable<Connection>): Promise<GoodReport> {
    const open = await playAll(connections, server)
    const { problem, seen } = await settle()
    const problems = problem === undefined ? [] : [problem]
    if (seen.wrong.length > 0) problems.push(`the good client got: ${seen.wrong.join(' | ')}`)
    if (seen.answers === 0) problems.push('the good client got no answer')
    if (problems.length === 0) return seen
    throw new Error([...problems, ...open.map((name) => `open when it ended: ${name}`)].join('\n'))
  }

  /** Waits for the server to become as small as before, and says what stays. */
  async function settle(): Promise<{ problem: string | undefined; seen: GoodReport }> {
    let seen: GoodReport = { answers: 0, wrong: [], longestWaitMs: 0 }
    for (const end = Date.now() + SETTLE_MS; ; await sleep(SETTLE_STEP_MS)) {
      // It must not wait for the collection of garbage that the report takes.
      seen = add(seen, await pause())
      const problem = server.death() ?? (await excessNow())
      await resume()
      if (problem === undefined || server.death() !== undefined || Date.now() > end) {
        return { problem, seen }
      }
    }
  }

  async function excessNow(): Promise<string | undefined> {
    try {
      const { unhandled, heapBytes, rssBytes } = await server.report()
      const descriptors = (server.descriptors() ?? 0) - (normalDescriptors ?? 0)
      if (unhandled.length > 0) return `unhandled: ${unhandled.slice(0, 3).join('\n')}`
      if (heapBytes > normal.heapBytes + HEAP_MARGIN)
        return grown('heap', normal.heapBytes, heapBytes)
      if (rssBytes > normal.rssBytes + RSS_MARGIN) return grown('RSS', normal.rssBytes, rssBytes)
      if (descriptors > DESCRIPTOR_MARGIN) return `${descriptors} file descriptors are left open`
      return undefined
    } catch (error) {
      return String(error)
    }
  }

  return {
    attack,
    async stop() {
      await stop(goodClient)
      await server.kill()
    },
  }
}

function add(one: GoodReport, other: GoodReport): GoodReport {
  return {
    answers: one.answers + other.answers,
    wrong: [...one.wrong, ...other.wrong],
    longestWaitMs: Math.max(one.longestWaitMs, other.longestWaitMs),
  }
}

function grown(what: string, before: number, after: number): string {
  return `the ${what} stays at ${Math.round(after / MiB)} MiB; it was ${Math.round(before / MiB)} MiB`
}

/** Plays the connections until all are over or the server has ended; gives those open when it ended. */
async function playAll(
  connections: Iterable<Connection>,
  server: ServerProcess,
): Promise<string[]> {
  const open = new Set<string>()
  let openAtDeath: string[] = []
  void server.exited.then(() => {
    openAtDeath = [...open]
  })
  const queue = connections[Symbol.iterator]()
  async function playNext(): Promise<void> {
    for (let { value, done } = queue.next(); !done; { value, done } = queue.next()) {
      if (server.death() !== undefined) return
      open.add(value.name)
      await play(value, server.port)
      open.delete(value.name)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, playNext))
  return openAtDeath
}
