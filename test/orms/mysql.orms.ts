import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { drizzle } from 'drizzle-orm/mysql2'
import { migrate } from 'drizzle-orm/mysql2/migrator'
import createKnex from 'knex'
import { Kysely, MysqlDialect, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2'
import { Sequelize } from 'sequelize'
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/plant-storage.ts'
import { type MysqlStorage, mysqlMigration, mysqlStorage } from '../../src/storage/mysql.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { skipBecause } from '../shared/skip.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { guideLines } from './guide-lines.ts'

interface App {
  /** What the guide's line uses. */
  readonly uses: Record<string, unknown>
  close(): Promise<unknown>
}

/** An app's connection. */
const apps: Record<string, (url: string, silenceMs: number) => App | Promise<App>> = {
  Drizzle(url, silenceMs) {
    const db = drizzle(url)
    db.$client.on('connection', limitSilence(silenceMs))
    return { uses: { db }, close: () => db.$client.promise().end() }
  },
  Kysely(url, silenceMs) {
    const pool = createPool(url).on('connection', limitSilence(silenceMs))
    const kysely = new Kysely({ dialect: new MysqlDialect({ pool: pool as never }) })
    return { uses: { pool }, close: () => kysely.destroy() }
  },
  async TypeOrm(url, silenceMs) {
    const dataSource = dataSourceOf(url)
    await dataSource.initialize()
    const { pool } = dataSource.driver as any
    pool.on('connection', limitSilence(silenceMs))
    pool.getConnection((_: unknown, connection: any) => connection.destroy())
    return { uses: { dataSource }, close: () => dataSource.destroy() }
  },
  Knex(connection, silenceMs) {
    const afterCreate = (connection: any, done: (error: null, connection: object) => void) => {
      limitSilence(silenceMs)(connection)
      done(null, connection)
    }
    const knex = createKnex({ client: 'mysql2', connection, pool: { afterCreate } })
    return { uses: { knex }, close: () => knex.destroy() }
  },
  Sequelize(url, silenceMs) {
    const hooks = { afterConnect: limitSilence(silenceMs) }
    const sequelize = new Sequelize(url, { logging: false, hooks })
    return { uses: { sequelize }, close: () => sequelize.close() }
  },
  async Prisma(url, silenceMs) {
    const prismaPool = createMariadbPool(
      `${url.replace('mysql:', 'mariadb:')}?socketTimeout=${silenceMs}`,
    )
    const adapter = await new PrismaMariaDb(prismaPool).connect()
    await adapter.queryRaw({ sql: 'SELECT 1', args: [], argTypes: [] })
    return { uses: { prismaPool }, close: () => adapter.dispose().then(() => prismaPool.end()) }
  },
}

/** As the guide does. */
function limitSilence(ms: number) {
  return ({ stream }: any) =>
    stream.setTimeout(ms, () => stream.destroy(new Error('MySQL did not respond in time')))
}

function dataSourceOf(url: string, migrations: (new () => MigrationInterface)[] = []) {
  return new DataSource({ type: 'mysql', url, migrations })
}

const lines = guideLines('mysqlStorage')

it('each line of the guide is tried', () => {
  expect([...lines.keys()].sort()).toEqual(Object.keys(apps).sort())
})

let server: MariadbServer
let url: string
beforeAll(async () => {
  if (NO_MARIADB) return
  server = await createMariadb()
  const { user, host, port, database } = server.connection
  url = `mysql://${user}@${host}:${port}/${database}`
})
afterAll(() => server?.remove())

describe.each(Object.keys(apps))('on %s', (name) => {
  skipBecause(NO_MARIADB)
  let app: App
  let storage: MysqlStorage
  beforeAll(async () => {
    if (NO_MARIADB) return
    ;({ app, storage } = await openApp(url, 20_000))
    await storage.migrate()
  })
  afterAll(() => app?.close())

  async function openApp(url: string, silenceMs: number) {
    const app = await apps[name]!(url, silenceMs)
    const open = new Function('mysqlStorage', ...Object.keys(app.uses), `return ${lines.get(name)}`)
    return { app, storage: open(mysqlStorage, ...Object.values(app.uses)) as MysqlStorage }
  }

  testPlantStorage({ describe, it }, async () => {
    await server.run('DELETE FROM app.plants')
    return storage
  })

  it('replaces connections that have fallen silent', async () => {
    const proxy = await createFaultyProxy(server.connection.port, 'mysql')
    const silent = await openApp(url.replace(/:\d+\//, `:${proxy.address.port}/`), 500)
    const list = () => silent.storage.list('alice', { limit: 1 })
    await Promise.all([list(), list(), list()])
    proxy.silence()
    const results: string[] = []
    for (let i = 0; i < 8; i++) {
      results.push(
        await Promise.resolve(list()).then(
          () => 'ok',
          (error) => error.code,
        ),
      )
    }
    expect(new Set(results.slice(0, 4))).toContain('storage_unavailable')
    expect(results.slice(4)).toEqual(['ok', 'ok', 'ok', 'ok'])
    await proxy.close()
    await silent.app.close()
  })

  it('is unavailable during an outage, and works again afterwards', async () => {
    const create = async () => storage.create(`outage of ${name}`, { id: 1n, name: 'Fern' })
    await server.stop()
    try {
      await expect(create()).rejects.toThrow(StorageUnavailableError)
    } finally {
      await server.start()
    }
    await expect.poll(() => create().catch(String)).toBe(true)
  })
})

/** Runs a migration with the table's SQL, as the guide says. */
const migrations: Record<string, (url: string, sql: string) => Promise<unknown>> = {
  async Knex(connection, migration) {
    const knex = createKnex({ client: 'mysql2', connection })
    const source = {
      getMigrations: async () => ['plants'],
      getMigrationName: String,
      getMigration: async () => ({ up: (db: typeof knex) => db.raw(migration), async down() {} }),
    }
    await knex.migrate.latest({ migrationSource: source as never })
    await knex.destroy()
  },
  async Drizzle(url, migration) {
    // As drizzle-kit writes it.
    const folder = mkdtempSync(join(tmpdir(), 'plants-drizzle-'))
    mkdirSync(join(folder, 'meta'))
    const entries = [{ idx: 0, version: '5', when: 1, tag: '0000_plants', breakpoints: true }]
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ entries }))
    writeFileSync(join(folder, '0000_plants.sql'), `-- Custom SQL migration file\n${migration}`)
    const db = drizzle(url)
    await migrate(db, { migrationsFolder: folder })
    await db.$client.promise().end()
    rmSync(folder, { recursive: true })
  },
  async Kysely(url, migration) {
    const db = new Kysely<never>({ dialect: new MysqlDialect({ pool: createPool(url) as never }) })
    const plants = {
      up: (db: Kysely<never>) =>
        sql
          .raw(migration)
          .execute(db)
          .then(() => {}),
    }
    const provider = { getMigrations: async () => ({ plants }) }
    const { error } = await new Migrator({ db, provider: provider as never }).migrateToLatest()
    await db.destroy()
    if (error) throw error
  },
  async TypeORM(url, migration) {
    class Plants1700000000000 {
      up = (queryRunner: QueryRunner) => queryRunner.query(migration)
      async down() {}
    }
    const dataSource = dataSourceOf(url, [Plants1700000000000])
    await dataSource.initialize()
    await dataSource.runMigrations()
    await dataSource.destroy()
  },
}

describe.each(Object.keys(migrations))('a migration of %s', (name) => {
  skipBecause(NO_MARIADB)

  it('creates the table', async () => {
    const table = `migrated_by_${name}`
    await migrations[name]!(url, mysqlMigration({ table }))
    const pool = createPool(url)
    const storage = mysqlStorage(pool, { table })
    expect(await storage.create('alice', { id: 1n, name: 'Fern' })).toBe(true)
    await pool.promise().end()
  })
})
