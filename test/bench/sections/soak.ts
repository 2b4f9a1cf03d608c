import type { Section } from '../figures.ts'
import { type Load, startLoad } from '../load.ts'
import { type Server, startServer } from '../server.ts'
import { median } from '../statistics.ts'

const MINUTES = 5

/** Five minutes of creates, duplicates, deletes and lists: memory stays where it is. */
export const soak: Section = {
  name: 'soak',
  about: 'five minutes of mixed load: memory stays flat, every answer is right',
  onlyByName: true,
  async run(log) {
    let server: Server | undefined
    let load: Load | undefined
    try {
      server = await startServer('plant-store', 'plant-store', 'memory:1000')
      load = startLoad()
      const heaps: number[] = []
      const end = performance.now() + MINUTES * 60_000
      let requests = 0
      while (performance.now() < end) {
        // Every connection is new in each turn, so what a connection leaves behind would add up.
        const done = await load.run({
          kind: 'mixed',
          ports: [server.port],
          connections: 64,
          count: 64_000,
          firstId: 10_000,
        })
        requests += done.requests
        heaps.push(await server.ask<number>('heap'))
        log(`${requests} requests, ${heaps.at(-1)!.toFixed(2)} MiB in use`)
      }
      const third = Math.ceil(heaps.length / 3)
      const first = median(heaps.slice(1, 1 + third))
      const last = median(heaps.slice(-third))
      return [
        {
          section: 'soak',
          work: `${MINUTES} minutes of mixed load`,
          subject: 'memory in use, last third to first',
          value: last / first,
          unit: '×',
          atMost: 1.05,
          note: `${requests} requests, ${first.toFixed(1)} and ${last.toFixed(1)} MiB after garbage collection`,
        },
      ]
    } finally {
      await Promise.all([load, server].map((child) => child?.stop()))
    }
  },
}
