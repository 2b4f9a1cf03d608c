import { expect, it } from 'vitest'
import type { PlantStorage } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { codeBlocks } from '../docs/guides/guides.ts'
import { installedForTests } from '../runtimes/program.ts'
import { freshFile, openDatabase, openStorage } from '../src/storage/sqlite-files.ts'
import { usePostgres } from '../src/storage/use-postgres.ts'

const postgres = usePostgres()
const importers = Object.fromEntries(
  ['delete-an-owner', 'quota', 'sqlite-to-postgresql'].map((page) => [
    page,
    guideFiles(`docs/recipes/${page}.md`, (code) =>
      code
        .replace("'pg'", `'${installedForTests('pg/esm/index.mjs')}'`)
        .replace("'plants.db'", 'globalThis.testFile')
        .replace('{ connectionString: process.env.DATABASE_URL }', 'globalThis.testConnection'),
    ),
  ]),
)

/** The SQL of a page, in the order of the page. */
function sqlOf(page: string): string[] {
  const blocks = codeBlocks(`docs/recipes/${page}.md`)
  return blocks.filter(({ language }) => language === 'sql').map(({ code }) => code)
}

function openSqlite() {
  const file = freshFile()
  return {
    file,
    storage: openStorage(file),
    exec: async (sql: string) => openDatabase(file).exec(sql),
  }
}

async function openPostgres() {
  const pool = postgres.poolWith({ max: 20 })
  await pool.query('DROP TABLE IF EXISTS plants CASCADE; DROP FUNCTION IF EXISTS plants_quota')
  const storage = postgresStorage(pool)
  await storage.migrate()
  return { storage, exec: (sql: string) => pool.query(sql) }
}

async function plant(storage: PlantStorage, owner: string, count: number): Promise<void> {
  for (let id = 0n; id < count; id++) await storage.create(owner, { id, name: 'Fern' })
}

const counted = async (storage: PlantStorage, owner: string) =>
  (await storage.list(owner, { limit: 100 })).length

it('The deletion of an owner leaves the others alone, in SQL and with any storage', async () => {
  const { deletePlantsOf } = await importers['delete-an-owner']!('delete-plants-of.mts')
  const [sql] = sqlOf('delete-an-owner')
  for (const { storage, exec } of [
    openSqlite(),
    await openPostgres(),
    { storage: memoryStorage() },
  ]) {
    await plant(storage, 'alice', 3)
    await plant(storage, 'bob', 2)
    await (exec ? exec(sql!) : deletePlantsOf(storage, 'alice'))
    expect([await counted(storage, 'alice'), await counted(storage, 'bob')]).toEqual([0, 2])
  }
})

it('The quota holds when all creates come at once, for each owner', async () => {
  const { withQuota } = await importers.quota!('with-quota.mts')
  const [forSqlite, forPostgres] = sqlOf('quota').map((sql) => sql.replace('1000', '10'))
  for (const { storage, exec, sql } of [
    { ...openSqlite(), sql: forSqlite },
    { ...(await openPostgres()), sql: forPostgres },
  ]) {
    await exec(sql!)
    const limited = withQuota(storage)
    // The race is lost now and then only, the more so while the pool connects.
    for (const owner of ['alice', 'carol', 'dave', 'erin', 'frank', 'grace']) {
      const creates = Array.from({ length: 40 }, (_, id) =>
        limited.create(owner, { id: BigInt(id), name: 'Fern' }).catch((error: any) => error.code),
      )
      const results = await Promise.all(creates)
      expect(results.filter((result) => result === true)).toHaveLength(10)
      expect(results.filter((result) => result === 'rate_limited')).toHaveLength(30)
      expect(await counted(storage, owner)).toBe(10)
    }
    expect(await limited.create('bob', { id: 1n, name: 'Moss' })).toBe(true)
    await limited.delete('alice', (await limited.list('alice', { limit: 1 }))[0].id)
    expect(await limited.create('alice', { id: 99n, name: 'Moss' })).toBe(true)
  }
})

it('The move from SQLite to PostgreSQL keeps every plant as it is, after a move that has failed too', async () => {
  const { file, storage: before } = openSqlite()
  const { storage: after } = await openPostgres()
  await plant(before, 'alice', 40)
  await plant(after, 'alice', 10)
  await before.create('bob', { id: 2n ** 63n - 1n, name: '🌵', tag: '' })
  Object.assign(globalThis, { testFile: file, testConnection: postgres.connection() })
  await importers['sqlite-to-postgresql']!('move.mjs')
  for (const owner of ['alice', 'bob']) {
    const query = { limit: 100 }
    expect(await after.list(owner, query)).toEqual(await before.list(owner, query))
  }
})
