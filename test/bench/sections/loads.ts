import { spawnSync } from 'node:child_process'
import { compare, LIST, type Measured, rowOf, type Work } from '../compare.ts'
import { type Log, median, type Row, type Section } from '../figures.ts'
import { node } from '../servers.ts'

const CONTESTANTS = [
  node('floor', 'floor'),
  node('plant-store', 'plant-store'),
  node('plant-store, not batching', 'plant-store#unbatched'),
]
const ROUNDS = { contestants: CONTESTANTS, generations: 2, rounds: 8 }

/** What batching is worth depends on the load: by another generator, and by clients that don't wait for each other. */
export const loads: Section = {
  name: 'loads',
  about: 'list 10 under other loads: wrk, where it is installed, and half of saturation',
  async run(log) {
    const [saturated] = await compare({ ...ROUNDS, works: [LIST] }, log)
    const throughput = median(saturated![0]!.rounds.map((round) => round.throughput))
    const halfLoad = { ...LIST, perSecond: Math.round(throughput / 2) }
    const rows = await measure({ ...halfLoad, name: 'list 10, half of saturation' }, log)
    if (spawnSync('wrk', ['-v']).error) {
      log('wrk is not installed: apt-get install wrk')
      return rows
    }
    // A second each is enough to compile everything.
    const byWrk = { ...LIST, name: 'list 10 by wrk', isWrk: true }
    return [...rows, ...(await measure(byWrk, log, { warmUp: 2, rounds: 3 }))]
  },
}

async function measure(
  work: Work,
  log: Log,
  rounds: { rounds?: number; warmUp?: number } = {},
): Promise<Row[]> {
  const [measured] = await compare({ ...ROUNDS, ...rounds, works: [work] }, log)
  const [floor, ...owns] = measured as [Measured, ...Measured[]]
  return owns.map((own) => ({
    ...rowOf(work.name, own, floor, 'cpu'),
    subject: `${own.name}, server CPU`,
  }))
}
