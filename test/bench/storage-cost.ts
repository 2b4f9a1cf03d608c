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
import { number, ratioRow, takeTurns, timeOf } from './figures.ts'
import { addPlants, plant } from './plants.ts'

const CALLS = 400
const PLANTS = 1000

async function compare(name: string, storage: PlantStorage, bare: PlantStorage): Promise<void> {
  await addPlants(bare, 'alice', PLANTS)
  let next = 2 * PLANTS
  const create = ({ create }: PlantStorage) => create('alice', plant(next++))
  const list = ({ list }: PlantStorage) =>
    list('alice', { after: BigInt(Math.floor(Math.random() * PLANTS)), limit: 10 })
  for (const [work, call] of Object.entries({ 'list of 10': list, create })) {
    /** Microseconds per call. */
    const cost = (of: PlantStorage) => async () => {
      const ms = await timeOf(async () => {
        for (let i = 0; i < CALLS; i++) await call(of)
      })
      return (ms * 1000) / CALLS
    }
    const costs = { own: cost(storage), driver: cost(bare) }
    const { own, driver } = await takeTurns({ warmUp: 3, rounds: 15 }, costs)
    const row = { work, subject: name, unit: 'x the bare driver' }
    const { value, note } = ratioRow(row, own, driver, 'µs')
    console.log(`${name}, ${work}: ${number(value)} ${row.unit} (${note})`)
  }
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
const onBarePglite = barePostgres(({ text }, values) => database.query(text, values))
await compare('PGlite', onPglite, onBarePglite)
await database.close()

const folder = mkdtempSync(join(tmpdir(), 'plants-cost-'))
const file = join(folder, 'plants.db')
const onSqlite = sqliteStorage(file, { synchronous: 'NORMAL' })
const bare = bareSqlite(file, { synchronous: 'NORMAL' })
await compare('SQLite', onSqlite, bare)
await onSqlite.close?.()
bare.close()
rmSync(folder, { recursive: true })
