import type { Figure, Section } from '../figures.ts'
import { measureGenerations, type Starter } from '../generations.ts'
import { startPostgres } from '../postgres.ts'
import { describe, type Measured, ratios } from '../rounds.ts'
import { startServer } from '../server.ts'

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
      // A database each, so that each has the same plants.
      const createDatabase = (owner: string, generation: number) =>
        database.createDatabase(`${owner}_${kind}_${generation}`)
      const starters: Starter[] = [
        async (generation) =>
          startServer('bare pg', 'bare-pg', `url:${await createDatabase('bare', generation)}`),
        async (generation) =>
          startServer(
            'plant-store',
            'plant-store',
            `postgres:${await createDatabase('own', generation)}`,
          ),
      ]
      const [bare, own] = (await measureGenerations(
        starters,
        { kind, generations: 6, rounds: 6, count: 2_000, warmup: 24_000, connections: 32 },
        log,
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
          ...(what === 'throughput' && { atLeast: 0.95 }),
          note: `${describe(own)}; bare ${describe(bare)}`,
        }
      })
    }
  },
}
