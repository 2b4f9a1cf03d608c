import { costlyBodies } from '../../hostile/bodies.ts'
import type { Connection } from '../../hostile/connection.ts'
import { chunkedRequest, repeat, request } from '../../hostile/requests.ts'
import { startTarget, type Target } from '../../hostile/target.ts'
import { median, type Row, ratioRow, type Section, takeTurns } from '../figures.ts'

const DIGITS = request({ body: costlyBodies.digits() })

/** The worst that one connection can do. */
const CONNECTIONS: { hostile: Connection; rounds: number }[] = [
  {
    hostile: {
      name: '100 000 pipelined GETs, token now',
      steps: [{ send: repeat(request(), 100_000) }, { waitMs: 1000 }],
      ending: 'reset',
    },
    rounds: 5,
  },
  {
    hostile: {
      name: '1 MiB in one-byte chunks',
      steps: [{ send: chunkedRequest(Buffer.alloc(2 ** 20 - 1, '9'), 1) }],
      ending: 'reset when answered',
    },
    rounds: 5,
  },
  {
    hostile: {
      // One takes 3 ms, and a client that asks every 5 ms mostly misses it. It waits for several of these.
      name: '1 MiB: digits',
      steps: Array(32).fill({ send: DIGITS }),
      ending: 'reset when answered',
    },
    rounds: 15,
  },
]

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
        atMost: 100,
      },
    ]
  } finally {
    await Promise.all(targets.map((target) => target.stop()))
  }
}
