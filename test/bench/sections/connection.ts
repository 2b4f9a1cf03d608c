import type { Connection } from '../../hostile/connection.ts'
import { startTarget, type Target } from '../../hostile/target.ts'
import { worstConnections } from '../../hostile/worst-connections.ts'
import { median, type Row, ratioRow, type Section, takeTurns } from '../figures.ts'

const CONNECTIONS = [
  { hostile: named('100 000 pipelined GETs, token now'), rounds: 5 },
  { hostile: named('1 MiB in one-byte chunks'), rounds: 5 },
  // One takes 3 ms, and a client that asks every 5 ms mostly misses it. It waits for several of these.
  { hostile: repeated(named('1 MiB: digits'), 32), rounds: 15 },
]

function named(name: string): Connection {
  return worstConnections.find((connection) => connection.name === name)!
}

function repeated(connection: Connection, times: number): Connection {
  return { ...connection, steps: Array(times).fill(connection.steps).flat() }
}

/** How long a good client waits while one connection keeps the server as busy as it can. */
export const connection: Section = {
  name: 'connection',
  about: 'the longest stall of a client beside one hostile connection, against bare node:http',
  async run(log) {
    const rows: Row[] = []
    for (const { hostile, rounds } of CONNECTIONS) {
      log(hostile.name)
      rows.push(...(await compareStalls(hostile, rounds)))
    }
    return rows
  },
}

/** Starts servers of its own, since earlier connections change how a process lays out its memory. */
async function compareStalls(hostile: Connection, rounds: number): Promise<Row[]> {
  const targets: Target[] = []
  try {
    for (const host of ['bare', 'node'] as const) targets.push(await startTarget(host, [hostile]))
    const stall = (target: Target) => async () => (await target.attack([hostile])).longestWaitMs
    const [bare, own] = [stall(targets[0]!), stall(targets[1]!)]
    const stalls = await takeTurns({ rounds }, { bare, own })
    const work = `stall by ${hostile.name}`
    const longer = median(stalls.own.map((ms, round) => ms - stalls.bare[round]!))
    return [
      ratioRow(
        { work, subject: 'plant-store', unit: '× bare', atMost: 1.5 },
        stalls.own,
        stalls.bare,
        'ms',
      ),
      {
        work,
        subject: 'plant-store, longer than bare',
        value: Math.max(0, longer),
        unit: 'ms',
        atMost: 250,
      },
    ]
  } finally {
    await Promise.all(targets.map((target) => target.stop()))
  }
}
