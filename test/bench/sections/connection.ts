import { costlyBodies } from '../../hostile/bodies.ts'
import type { Ending, Step } from '../../hostile/connection.ts'
import { repeat, request } from '../../hostile/requests.ts'
import { startTarget } from '../../hostile/target.ts'
import { log, median, ratioRow, rowsOf, takeTurns } from '../figures.ts'

const pipeline = { send: repeat(request(), 100_000) }
const oneByteChunks = { send: request({ body: Buffer.alloc(2 ** 20 - 1, '9'), pieceBytes: 1 }) }
const digits = { send: request({ body: costlyBodies.digits() }) }

/** The worst that one connection can do, and the rounds that show it. */
const CONNECTIONS: readonly [name: string, steps: Step[], ending: Ending, rounds: number][] = [
  ['100 000 pipelined GETs, token now', [pipeline, { waitMs: 1000 }], 'reset', 5],
  ['1 MiB in one-byte chunks', [oneByteChunks], 'reset when answered', 5],
  // One takes 3 ms, and a client that asks every 5 ms mostly misses it. It waits for several of these.
  ['1 MiB: digits', Array(32).fill(digits), 'reset when answered', 15],
]

/** The longest stall of a client while one connection keeps the server as busy as it can, against bare node:http. */
export const connection = () =>
  rowsOf(CONNECTIONS, async ([name, steps, ending, rounds]) => {
    log(name)
    const hostile = { name, steps, ending }
    // Servers of its own, since earlier connections change how a process lays out its memory.
    const bare = await startTarget('bare', [hostile])
    const own = await startTarget('node', [hostile])
    const attacks = [own, bare].map((server) => () => server.attack([hostile]))
    const [ofOwn, ofBare] = await takeTurns({ rounds }, attacks)
    await Promise.all([bare.stop(), own.stop()])
    const row = { work: `stall by ${name}`, subject: 'plant-store' }
    const longer = median(ofOwn!.map((ms, round) => ms - ofBare![round]!))
    const subject = 'plant-store, longer than bare'
    return [
      ratioRow({ ...row, unit: '× bare', atMost: 1.5 }, 'ms', ofOwn!, ofBare!),
      { ...row, subject, value: Math.max(0, longer), unit: 'ms', atMost: 100 },
    ]
  })
