import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import createKnex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import createSql from 'postgres'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../src/storage/postgres.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { createPostgres, type PostgresServer } from '../src/storage/postgres-server.ts'
import { type App, evaluate, expectOwnCommit, expectReplacement } from './app.ts'
import { PrismaClient } from './generated/client.ts'
import { guideLines } from './guide-lines.ts'

// As cls-hooked does: each query joins the transaction of its async context.
const context = new AsyncLocalStorage<Map<string, unknown>>()
Sequelize.useCLS({
  run: (work: (context: object) => unknown) => context.run(new Map(), () => work({})),
  get: (key: string) => context.getStore()?.get(key),
  set: (key: string, value: unknown) => context.getStore()?.set(key, value),
  bind: <T>(work: T): T => work,
} as never)

/** An app's connection, opened with the timeouts of the guide. */
const apps: Record<string, (connectionString: string, timeouts: Timeouts) => App | Promise<App>> = {
  Drizzle(connectionString, timeouts) {
    const db = drizzle({ connection: { connectionString, ...timeouts } })
    return {
      uses: { db },
      transaction: (work) => db.transaction(work),
      close: () => db.$client.end(),
    }
  },
  Kysely(connectionString, timeouts) {
    const pool = new pg.Pool({ connectionString, ...timeouts })
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
    const transaction: App['transaction'] = (work) => kysely.transaction().execute(work)
    // Kysely ends only a pool that it has used.
    const close = () => kysely.destroy().then(() => pool.ended || pool.end())
    return { uses: { pool }, transaction, close }
  },
  async TypeOrm(url, timeouts) {
    const dataSource = new DataSource({ type: 'postgres', url, extra: timeouts })
    await dataSource.initialize()
    const transaction: App['transaction'] = (work) => dataSource.transaction(work)
    return { uses: { dataSource }, transaction, close: () => dataSource.destroy() }
  },
  Knex(connectionString, timeouts) {
    const knex = createKnex({ client: 'pg', connection: { connectionString, ...timeouts } })
    return {
      uses: { knex },
      transaction: (work) => knex.transaction(work),
      close: () => knex.destroy(),
    }
  },
  Sequelize(url, timeouts) {
    const sequelize = new Sequelize(url, { logging: false, dialectOptions: timeouts })
    const transaction: App['transaction'] = (work) => sequelize.transaction(work)
    return { uses: { sequelize }, transaction, close: () => sequelize.close() }
  },
  Prisma(connectionString, timeouts) {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString, ...timeouts }) })
    const transaction: App['transaction'] = (work) => prisma.$transaction(work)
    return { uses: { prisma }, transaction, close: () => prisma.$disconnect() }
  },
  PostgresJs(url) {
    const sql = createSql(url, { onnotice() {}, connection: { statement_timeout: 15_000 } })
    return {
      uses: { sql },
      transaction: (work) => sql.begin(work),
      close: () => sql.end({ timeout: 1 }),
    }
  },
}
interface Timeouts {
  statement_timeout: number
  query_timeout: number
}

const lines = guideLines('postgresStorage')

it('each line of the guide is tried', () => {
  expect([...lines.keys()].sort()).toEqual(Object.keys(apps).sort())
})

let server: PostgresServer
let admin: pg.Pool
beforeAll(async () => {
  server = await createPostgres()
  admin = new pg.Pool(server.connection)
  admin.on('error', () => {})
})
afterAll(async () => {
  await admin.end()
  await server.remove()
})

describe.each(Object.keys(apps))('on %s', (name) => {
  let app: App
  let storage: PostgresStorage
  beforeAll(async () => {
    const timeouts = { statement_timeout: 15_000, query_timeout: 20_000 }
    ;({ app, storage } = await openApp(server.connection.port, timeouts))
    await storage.migrate()
  })
  afterAll(() => app.close())

  async function openApp(port: number, timeouts: Timeouts) {
    const { user, host, database } = server.connection
    const app = await apps[name]!(`postgres://${user}@${host}:${port}/${database}`, timeouts)
    return {
      app,
      storage: evaluate<PostgresStorage>(lines.get(name)!, { postgresStorage, ...app.uses }),
    }
  }

  testPlantStorage({ describe, it }, async () => {
    await admin.query('TRUNCATE plants')
    return storage
  })

  it('says how many calls its pool works on at once', () => {
    expect(storage.maxConcurrentCalls).toBe(name === 'Sequelize' ? 5 : 10)
  })

  it('tells the name of a constraint', async () => {
    await admin.query("ALTER TABLE plants ADD CONSTRAINT no_ferns CHECK (name <> 'Fern')")
    await expect(async () => storage.create('alice', { id: 1n, name: 'Fern' })).rejects.toThrow(
      'no_ferns',
    )
    await admin.query('ALTER TABLE plants DROP CONSTRAINT no_ferns')
  })

  // postgres.js has no time limit of its own (https://github.com/porsager/postgres#connection-details).
  it.skipIf(name === 'PostgresJs')('replaces connections that have fallen silent', async () => {
    const proxy = await createFaultyProxy(server.connection.port)
    const timeouts = { statement_timeout: 500, query_timeout: 800 }
    const silent = await openApp(proxy.address.port, timeouts)
    await expectReplacement(silent.storage, () => proxy.silence())
    await proxy.close()
    await silent.app.close()
  })

  it('commits by itself, whatever transaction of the app is around it', () =>
    expectOwnCommit(app, storage, `bystander on ${name}`))

  it('is unavailable where a statement is interrupted, and changes nothing', async () => {
    await storage.create('interrupted', { id: 1n, name: 'Fern' })
    const holder = await admin.connect()
    await holder.query("BEGIN; SELECT 1 FROM plants WHERE owner = 'interrupted' FOR UPDATE")
    const deletion = Promise.resolve(storage.delete('interrupted', 1n))
    const refused = expect(deletion).rejects.toMatchObject({ code: 'storage_unavailable' })
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await expect.poll(async () => (await holder.query(cancel)).rowCount).toBe(1)
    await refused
    await holder.query('ROLLBACK')
    holder.release()
    expect(await storage.list('interrupted', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
  })

  it('is unavailable during an outage, and works again afterwards', async () => {
    await server.stop()
    try {
      for (const call of [
        () => storage.list('alice', { limit: 1 }),
        () => storage.create('alice', { id: 2n, name: 'Fern' }),
      ]) {
        await expect(async () => call()).rejects.toMatchObject({ code: 'storage_unavailable' })
      }
    } finally {
      await server.start()
    }
    await expect.poll(() => storage.delete('alice', 2n), { timeout: 20_000 }).toBe(false)
  })
})
