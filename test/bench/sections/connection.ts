import { startTarget, type Target } from '../../hostile/target.ts'
import { worstConnections } from '../../hostile/worst-connections.ts'
import { median, type Row, ratio, type Section } from '../figures.ts'

const CONNECTIONS = [
  '100 000 pipelined GETs, token now',
  '1 MiB in one-byte chunks',
  '1 MiB: digits',
].map((name) => worstConnections.find((connection) => connection.name === name)!)
const ROUNDS = 5

/** How long a good client waits while one connection keeps the server as busy as it can. */
export const connection: Section = {
  name: 'connection',
  about: 'the longest stall of a client beside one hostile connection, against bare node:http',
  async run(log) {
    const targets: Target[] = []
    try {
      for (const host of ['bare', 'node'] as const) {
        targets.push(await startTarget(host, CONNECTIONS))
      }
      const rows: Row[] = []
      for (const hostile of CONNECTIONS) {
        log(hostile.name)
        const [bare, own] = [[] as number[], [] as number[]]
        for (let round = 0; round < ROUNDS; round++) {
          for (const [i, stalls] of [bare, own].entries()) {
            stalls.push((await targets[i]!.attack([hostile])).longestWaitMs)
          }
        }
        const work = `stall by ${hostile.name}`
        const note = `${median(own).toFixed(0)} and ${median(bare).toFixed(0)} ms`
        rows.push(
          { work, subject: 'plant-store', ...ratio(own, bare), unit: '× bare', atMost: 1.5, note },
          {
            work,
            subject: 'plant-store, longer than bare',
            value: Math.max(0, median(own.map((stall, round) => stall - bare[round]!))),
            unit: 'ms',
            atMost: 250,
          },
        )
      }
      return rows
    } finally {
      await Promise.all(targets.map((target) => target.stop()))
    }
  },
}
