// Compares calls of the storages with the same SQL without them, in workerd on this machine:
//   node test/runtimes/workerd-cost.ts

import { d1Migration } from '../../src/storage/d1.ts'
import { startWorker } from './workerd-start.ts'

const ROUNDS = 21
const COUNT = 200

const { url, miniflare, stop } = await startWorker(
  new URL('workerd-cost-worker.ts', import.meta.url),
  {
    d1Databases: ['DATABASE'],
    durableObjects: {
      OBJECTS: { className: 'PlantsOfOwner', useSQLite: true },
      BARE_OBJECTS: { className: 'BareObject', useSQLite: true },
    },
  },
)
const database = await miniflare.getD1Database('DATABASE')
await database.prepare(d1Migration()).run()

let first = 0

async function microsecondsPerCall(subject: string, work: string): Promise<number> {
  const body = JSON.stringify({ subject, work, first, count: COUNT })
  first += COUNT
  const start = performance.now()
  await fetch(url, { method: 'POST', body })
  return ((performance.now() - start) / COUNT) * 1000
}

for (const engine of ['d1', 'durable-objects']) {
  for (const work of ['create', 'list']) {
    const ratios: number[] = []
    const times: number[] = []
    for (let round = -3; round < ROUNDS; round++) {
      const [bare, own] = [
        await microsecondsPerCall(`${engine} bare`, work),
        await microsecondsPerCall(`${engine} storage`, work),
      ]
      if (round < 0) continue
      ratios.push(own / bare)
      times.push(own)
    }
    console.log(
      `${engine}, ${work === 'list' ? 'list 10' : work}: ${median(ratios).toFixed(2)} x bare (${Math.round(median(times))} µs per call)`,
    )
  }
}
await stop()

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
