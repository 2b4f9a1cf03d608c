import { checkSameAnswers } from '../check.ts'
import type { Figure, Section } from '../figures.ts'
import { type Load, startLoad } from '../load.ts'
import { startPostgres } from '../postgres.ts'
import { describe, type Measured, measureGenerations, measureRounds, ratios } from '../rounds.ts'
import { type Server, startServer } from '../server.ts'

const GENERATIONS = 6

/** The plant store on PostgreSQL over HTTP, against a bare pg server with the same SQL. */
export const postgres: Section = {
  name: 'postgres',
  about: 'PostgreSQL over HTTP: throughput against a bare pg server with the same SQL',
  async run(log) {
    const database = await startPostgres()
    try {
      return [
        ...(await compare('list', 'list 10 on PostgreSQL over HTTP')),
        ...(await compare('create', 'create on PostgreSQL over HTTP')),
      ]
    } finally {
      await database.stop()
    }

    async function compare(kind: 'list' | 'create', work: string): Promise<Figure[]> {
      log(kind)
      const [bare, own] = (await measureGenerations(GENERATIONS, (generation) =>
        measure(kind, generation),
      )) as [Measured, Measured]
      return (['throughput', 'cpu'] as const).map((what): Figure => {
        const { median: value, low, high } = ratios(own, bare, what)
        return {
          section: 'postgres',
          work,
          subject: what === 'cpu' ? 'plant-store, server CPU' : 'plant-store, throughput',
          value,
          low,
          high,
          unit: '× bare pg',
          ...(what === 'throughput' && { atLeast: 0.9 }),
          note: `${describe(own)}; bare ${describe(bare)}`,
        }
      })
    }

    async function measure(kind: 'list' | 'create', generation: number): Promise<Measured[]> {
      // A database each, so that each has the same plants.
      const bareUrl = await database.createDatabase(`bare_${kind}_${generation}`)
      const ownUrl = await database.createDatabase(`own_${kind}_${generation}`)
      const servers: Server[] = []
      let load: Load | undefined
      try {
        servers.push(await startServer('bare pg', 'bare-pg', `url:${bareUrl}`))
        servers.push(await startServer('plant-store', 'plant-store', `postgres:${ownUrl}`))
        // Neither always has the older processes and connections.
        if (generation % 2 === 1) servers.reverse()
        await checkSameAnswers(servers)
        load = startLoad()
        const rounds = { kind, rounds: 6, count: 2_000, warmup: 24_000, connections: 32 }
        return await measureRounds(load, servers, rounds, log)
      } finally {
        await Promise.all([load, ...servers].map((child) => child?.stop()))
      }
    }
  },
}
