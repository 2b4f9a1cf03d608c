// Measures the cost of a storage call, relative to the same statement sent by its bare driver in the same
// process: node test/bench/storage-cost.ts
//
// Both take turns, so that what else the machine does hits both. PostgreSQL and SQLite don't wait for
// the disk here: the wait, the same for both, would hide the difference.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { barePostgres, bareSqlite } from './bare-storages.ts'
import { median, ratio } from './figures.ts'
import { addPlants, plant } from './plants.ts'

const ROUNDS = 15
const CALLS = 400
const PLANTS = 1000

async function compare(name: string, storage: PlantStorage, bare: PlantStorage): Promise<void> {
  await addPlants(bare, 'alice', PLANTS)
  let next = 2 * PLANTS
  const create = ({ create }: PlantStorage) => create('alice', plant(next++))
  const list = ({ list }: PlantStorage) =>
    list('alice', { after: BigInt(Math.floor(Math.random() * PLANTS)), limit: 10 })
  for (const [operation, run] of Object.entries({ 'list of 10': list, create })) {
    const [own, driver] = [[] as number[], [] as number[]]
    // The first rounds warm up.
    for (let round = -3; round < ROUNDS; round++) {
      const times = [await timeOf(() => run(storage)), await timeOf(() => run(bare))] as const
      if (round < 0) continue
      own.push(times[0])
      driver.push(times[1])
    }
    console.log(
      `${name.padEnd(16)} ${operation.padEnd(10)} ${ratio(own, driver).value.toFixed(2)} x the bare driver`,
      `(${median(own).toFixed(0)} µs, ${median(driver).toFixed(0)} µs)`,
    )
  }
}

async function timeOf(run: () => unknown): Promise<number> {
  const start = performance.now()
  for (let call = 0; call < CALLS; call++) await run()
  return ((performance.now() - start) * 1000) / CALLS
}

const server = await createPostgres()
await server.start()
const pool = new Pool(server.connection)
try {
  const storage = postgresStorage(pool)
  await storage.migrate()
  const query = (statement: object, values: unknown[]) =>
    pool.query({ ...statement, values } as any)
  await compare('PostgreSQL, pg', storage, barePostgres(query))
} finally {
  await pool.end()
  await server.remove()
}

const database = new PGlite()
const onPglite = postgresStorage(database)
await onPglite.migrate()
await compare(
  'PGlite',
  onPglite,
  barePostgres(({ text }, values) => database.query(text, values)),
)
await database.close()

const folder = mkdtempSync(join(tmpdir(), 'plants-cost-'))
const file = join(folder, 'plants.db')
const onSqlite = sqliteStorage(file, { synchronous: 'NORMAL' })
const bare = bareSqlite(file, { synchronous: 'NORMAL' })
await compare('SQLite', onSqlite, bare)
await onSqlite.close?.()
bare.close()
rmSync(folder, { recursive: true })
