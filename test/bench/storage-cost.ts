// What a call of a storage costs, relative to the same statement sent by its bare driver in the same
// process: node test/bench/storage-cost.ts
//
// Both take turns, so that what else the machine does hits both. PostgreSQL and SQLite don't wait for
// the disk here: the wait, the same for both, would hide the difference.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PGlite } from '@electric-sql/pglite'
import { Pool } from 'pg'
import type { StoredPlant } from '../../src/plant.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { median } from './statistics.ts'

const ROUNDS = 15
const CALLS = 400
const PLANTS = 1000

type Bare = Pick<PlantStorage, 'create' | 'list'>

const LIST = 'SELECT id, name, tag FROM plants WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3'
const CREATE =
  'INSERT INTO plants (owner, id, name, tag) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING'

function barePool(pool: Pool): Bare {
  return {
    async create(owner, { id, name, tag }) {
      const values = [owner, id, name, tag]
      return (await pool.query({ name: 'bare-create', text: CREATE, values })).rowCount === 1
    },
    async list(owner, { after, limit }) {
      const values = [owner, after, limit]
      return (await pool.query({ name: 'bare-list', text: LIST, values })).rows
    },
  }
}

function barePglite(database: PGlite): Bare {
  return {
    async create(owner, { id, name, tag }) {
      return (await database.query(CREATE, [owner, id, name, tag])).affectedRows === 1
    },
    list: async (owner, { after, limit }) =>
      (await database.query<StoredPlant>(LIST, [owner, after, limit])).rows,
  }
}

function bareSqlite(path: string): Bare & { close(): void } {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const create = database.prepare(CREATE.replace(/\$\d/g, '?'))
  const list = database.prepare(LIST.replace(/\$\d/g, '?'))
  list.setReadBigInts(true)
  return {
    create: (owner, { id, name, tag }) => create.run(owner, id, name, tag ?? null).changes === 1,
    list: (owner, { after, limit }) => list.all(owner, after!, limit) as unknown as StoredPlant[],
    close: () => database.close(),
  }
}

async function compare(name: string, storage: PlantStorage, bare: Bare): Promise<void> {
  let next = 0n
  const create = async ({ create }: Bare) => {
    await create('alice', { id: next++, name: 'Monstera deliciosa', tag: 'indoor' })
  }
  const list = async ({ list }: Bare) => {
    await list('alice', { after: BigInt(Math.floor(Math.random() * PLANTS)), limit: 10 })
  }
  for (let count = 0; count < PLANTS + 20; count++) await create(bare)
  for (const [operation, run] of Object.entries({ 'list of 10': list, create })) {
    const times: [own: number, bare: number][] = []
    for (let round = 0; round < ROUNDS; round++) {
      const own = await timeOf(() => run(storage))
      times.push([own, await timeOf(() => run(bare))])
    }
    // The first rounds warm up.
    const counted = times.slice(3)
    const ratio = median(counted.map(([own, bare]) => own / bare))
    const [own, driver] = [0, 1].map((which) => median(counted.map((pair) => pair[which]!)))
    console.log(
      `${name.padEnd(16)} ${operation.padEnd(10)} ${ratio.toFixed(2)} x the bare driver`,
      `(${own!.toFixed(0)} µs, ${driver!.toFixed(0)} µs)`,
    )
  }
}

async function timeOf(run: () => Promise<void>): Promise<number> {
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
  await compare('PostgreSQL, pg', storage, barePool(pool))
} finally {
  await pool.end()
  await server.remove()
}

const database = new PGlite()
const onPglite = postgresStorage(database)
await onPglite.migrate()
await compare('PGlite', onPglite, barePglite(database))
await database.close()

const folder = mkdtempSync(join(tmpdir(), 'plants-cost-'))
const file = join(folder, 'plants.db')
const onSqlite = sqliteStorage(file, { synchronous: 'NORMAL' })
const bare = bareSqlite(file)
await compare('SQLite', onSqlite, bare)
await onSqlite.close?.()
bare.close()
rmSync(folder, { recursive: true })
