import { startTarget, type Target } from '../../hostile/target.ts'
import { worstConnections } from '../../hostile/worst-connections.ts'
import { median, type Row, ratioRow, type Section, takeTurns } from '../figures.ts'

const CONNECTIONS = [
  '100 000 pipelined GETs, token now',
  '1 MiB in one-byte chunks',
  '1 MiB: digits',
].map((name) => worstConnections.find((connection) => connection.name === name)!)

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
        const stall = (target: Target) => async () => (await target.attack([hostile])).longestWaitMs
        const [bare, own] = [stall(targets[0]!), stall(targets[1]!)]
        const stalls = await takeTurns({ rounds: 5 }, { bare, own })
        const work = `stall by ${hostile.name}`
        const longer = median(stalls.own.map((ms, round) => ms - stalls.bare[round]!))
        const subject = 'plant-store, longer than bare'
        rows.push(
          ratioRow(
            { work, subject: 'plant-store', unit: '× bare', atMost: 1.5 },
            stalls.own,
            stalls.bare,
            'ms',
          ),
          { work, subject, value: Math.max(0, longer), unit: 'ms', atMost: 250 },
        )
      }
      return rows
    } finally {
      await Promise.all(targets.map((target) => target.stop()))
    }
  },
}
