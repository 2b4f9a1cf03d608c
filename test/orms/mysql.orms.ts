import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { drizzle } from 'drizzle-orm/mysql2'
import createKnex from 'knex'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2'
import { createConnection } from 'mysql2/promise'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import { type MysqlStorage, mysqlMigration, mysqlStorage } from '../../src/storage/mysql.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { skipBecause } from '../shared/skip.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { type App, evaluate, expectOwnCommit, expectReplacement } from './app.ts'
import { guideLines } from './guide-lines.ts'

/** An app's connection. */
const apps: Record<string, (url: string, silenceMs: number) => App | Promise<App>> = {
  Drizzle(url, silenceMs) {
    const db = drizzle(url)
    db.$client.on('connection', limitSilence(silenceMs))
    const transaction: App['transaction'] = (work) => db.transaction(work)
    return { uses: { db }, transaction, close: () => db.$client.promise().end() }
  },
  Kysely(url, silenceMs) {
    const pool = createPool(url).on('connection', limitSilence(silenceMs))
    const kysely = new Kysely({ dialect: new MysqlDialect({ pool: pool as never }) })
    const transaction: App['transaction'] = (work) => kysely.transaction().execute(work)
    return { uses: { pool }, transaction, close: () => kysely.destroy() }
  },
  async TypeOrm(url, silenceMs) {
    const dataSource = new DataSource({ type: 'mysql', url })
    await dataSource.initialize()
    const { pool } = dataSource.driver as any
    pool.on('connection', limitSilence(silenceMs))
    pool.getConnection((_: unknown, connection: any) => connection.destroy())
    const transaction: App['transaction'] = (work) => dataSource.transaction(work)
    return { uses: { dataSource }, transaction, close: () => dataSource.destroy() }
  },
  Knex(connection, silenceMs) {
    const afterCreate = (connection: any, done: (error: null, connection: object) => void) => {
      limitSilence(silenceMs)(connection)
      done(null, connection)
    }
    const knex = createKnex({ client: 'mysql2', connection, pool: { afterCreate } })
    return {
      uses: { knex },
      transaction: (work) => knex.transaction(work),
      close: () => knex.destroy(),
    }
  },
  Sequelize(url, silenceMs) {
    const hooks = { afterConnect: limitSilence(silenceMs) }
    const sequelize = new Sequelize(url, { logging: false, hooks })
    const transaction: App['transaction'] = (work) => sequelize.transaction(work)
    return { uses: { sequelize }, transaction, close: () => sequelize.close() }
  },
  async Prisma(url, silenceMs) {
    const prismaPool = createMariadbPool(
      `${url.replace('mysql:', 'mariadb:')}?socketTimeout=${silenceMs}`,
    )
    const adapter = await new PrismaMariaDb(prismaPool).connect()
    await adapter.queryRaw({ sql: 'SELECT 1', args: [], argTypes: [] })
    async function transaction(work: () => Promise<void>): Promise<void> {
      const opened = await adapter.startTransaction()
      await work().finally(() => opened.rollback())
    }
    const close = () => adapter.dispose().then(() => prismaPool.end())
    return { uses: { prismaPool }, transaction, close }
  },
}

/** As the guide does. */
function limitSilence(ms: number) {
  return ({ stream }: any) =>
    stream.setTimeout(ms, () => stream.destroy(new Error('MySQL did not respond in time')))
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
    return { app, storage: evaluate<MysqlStorage>(lines.get(name)!, { mysqlStorage, ...app.uses }) }
  }

  testPlantStorage({ describe, it }, async () => {
    await server.run('DELETE FROM app.plants')
    return storage
  })

  it('says how many calls its pool works on at once', () => {
    expect(storage.maxConcurrentCalls).toBe(name === 'Sequelize' ? 5 : 10)
  })

  it('replaces connections that have fallen silent', async () => {
    const proxy = await createFaultyProxy(server.connection.port, 'mysql')
    const silent = await openApp(url.replace(/:\d+\//, `:${proxy.address.port}/`), 500)
    await expectReplacement(silent.storage, () => proxy.silence())
    await proxy.close()
    await silent.app.close()
  })

  it('commits by itself, whatever transaction of the app is around it', () =>
    expectOwnCommit(app, storage, `bystander on ${name}`))

  it('is unavailable where a statement is interrupted, and changes nothing', async () => {
    await storage.create('interrupted', { id: 1n, name: 'Fern' })
    const holder = await createConnection(url)
    await holder.query('START TRANSACTION')
    await holder.query("SELECT 1 FROM plants WHERE owner = 'interrupted' FOR UPDATE")
    const deletion = Promise.resolve(storage.delete('interrupted', 1n))
    const refused = expect(deletion).rejects.toMatchObject({ code: 'storage_unavailable' })
    const waiting = "SELECT id FROM information_schema.PROCESSLIST WHERE info LIKE 'DELETE FROM%'"
    async function interrupt(): Promise<number> {
      const [rows] = await holder.query<any>(waiting)
      for (const { id } of rows) await holder.query(`KILL QUERY ${id}`)
      return rows.length
    }
    await expect.poll(interrupt).toBe(1)
    await refused
    await holder.query('ROLLBACK')
    await holder.end()
    expect(await storage.list('interrupted', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
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

describe('a migration of Knex, which looks for bindings in the SQL,', () => {
  skipBecause(NO_MARIADB)

  it('creates the table', async () => {
    const table = 'migrated'
    const knex = createKnex({ client: 'mysql2', connection: url })
    await knex.raw(mysqlMigration({ table }))
    await knex.destroy()
    const pool = createPool(url)
    const storage = mysqlStorage(pool, { table })
    expect(await storage.create('alice', { id: 1n, name: 'Fern' })).toBe(true)
    await pool.promise().end()
  })
})
