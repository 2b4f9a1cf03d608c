import { costlyBodies } from '../../hostile/bodies.ts'
import type { Connection } from '../../hostile/connection.ts'
import { repeat, request } from '../../hostile/requests.ts'
import { startTarget } from '../../hostile/target.ts'
import { log, median, type Row, ratioRow, takeTurns } from '../figures.ts'

/** The worst that one connection can do, and the rounds that show it. */
const CONNECTIONS: [hostile: Connection, rounds: number][] = [
  [
    {
      name: '100 000 pipelined GETs, token now',
      steps: [{ send: repeat(request(), 100_000) }, { waitMs: 1000 }],
      ending: 'reset',
    },
    5,
  ],
  [
    {
      name: '1 MiB in one-byte chunks',
      steps: [{ send: request({ body: Buffer.alloc(2 ** 20 - 1, '9'), pieceBytes: 1 }) }],
      ending: 'reset when answered',
    },
    5,
  ],
  [
    {
      // One takes 3 ms, and a client that asks every 5 ms mostly misses it. It waits for several of these.
      name: '1 MiB: digits',
      steps: Array(32).fill({ send: request({ body: costlyBodies.digits() }) }),
      ending: 'reset when answered',
    },
    15,
  ],
]

/** The longest stall of a client while one connection keeps the server as busy as it can, against bare node:http. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [hostile, rounds] of CONNECTIONS) {
    log(hostile.name)
    // Servers of its own, since earlier connections change how a process lays out its memory.
    const targets = [await startTarget('bare', [hostile]), await startTarget('node', [hostile])]
    const [bare, own] = targets.map((target) => async () => {
      return (await target.attack([hostile])).longestWaitMs
    })
    const stalls = await takeTurns({ rounds }, { bare: bare!, own: own! })
    for (const target of targets) await target.stop()
    const row = { work: `stall by ${hostile.name}`, subject: 'plant-store' }
    const longer = median(stalls.own.map((ms, round) => ms - stalls.bare[round]!))
    rows.push(ratioRow({ ...row, unit: '× bare', atMost: 1.5 }, [stalls.own, stalls.bare], 'ms'), {
      ...row,
      subject: 'plant-store, longer than bare',
      value: Math.max(0, longer),
      unit: 'ms',
      atMost: 100,
    })
  }
  return rows
}
