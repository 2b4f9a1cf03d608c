import { checkSameAnswers } from '../check.ts'
import type { Figure, Section } from '../figures.ts'
import { type Load, startLoad } from '../load.ts'
import { startPostgres } from '../postgres.ts'
import { describe, type Measured, measureRounds, ratios } from '../rounds.ts'
import { type Server, startServer } from '../server.ts'

/** The plant store on PostgreSQL over HTTP, against a bare pg server with the same SQL. */
export const postgres: Section = {
  name: 'postgres',
  about: 'PostgreSQL over HTTP: throughput against a bare pg server with the same SQL',
  async run(log) {
    const database = await startPostgres()
    const servers: Server[] = []
    let load: Load | undefined
    try {
      // A database each, so that each has the same plants.
      const [bareUrl, ownUrl] = [
        await database.createDatabase('bare'),
        await database.createDatabase('own'),
      ]
      servers.push(await startServer('bare pg', 'bare-pg', `url:${bareUrl}`))
      servers.push(await startServer('plant-store', 'plant-store', `postgres:${ownUrl}`))
      await checkSameAnswers(servers)
      load = startLoad()
      const figures: Figure[] = []
      for (const [kind, work] of [
        ['list', 'list 10 on PostgreSQL over HTTP'],
        ['create', 'create on PostgreSQL over HTTP'],
      ] as const) {
        const [bare, own] = (await measureRounds(
          load,
          servers,
          { kind, rounds: 15, count: 2_000, warmup: 6_000, connections: 32 },
          log,
        )) as [Measured, Measured]
        const { median: value, low, high } = ratios(own, bare, 'throughput')
        figures.push({
          section: 'postgres',
          work,
          subject: 'plant-store, throughput',
          value,
          low,
          high,
          unit: '× bare pg',
          atLeast: 0.9,
          note: `${describe(own)}; bare ${describe(bare)}`,
        })
      }
      return figures
    } finally {
      await Promise.all([load, ...servers].map((child) => child?.stop()))
      await database.stop()
    }
  },
}
