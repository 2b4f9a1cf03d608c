import { AsyncLocalStorage } from 'node:async_hooks'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import createKnex from 'knex'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import createSql from 'postgres'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { postgresMigration, postgresStorage } from '../../src/storage/postgres.ts'
import { createPostgres, type PostgresServer } from '../src/storage/postgres-server.ts'
import { describeApps, type Engine, type Transaction } from './describe-apps.ts'
import { PrismaClient } from './generated/client.ts'

// As cls-hooked does: each query joins the transaction of its async context.
const context = new AsyncLocalStorage<Map<string, unknown>>()
Sequelize.useCLS({
  run: (work: (context: object) => unknown) => context.run(new Map(), () => work({})),
  get: (key: string) => context.getStore()?.get(key),
  set: (key: string, value: unknown) => context.getStore()?.set(key, value),
  bind: <T>(work: T): T => work,
} as never)

/** In the ratio of the guide. */
const timeouts = (silenceMs: number) => ({
  statement_timeout: 0.75 * silenceMs,
  query_timeout: silenceMs,
})

const apps: Engine<PostgresServer>['apps'] = {
  Drizzle(connectionString, silenceMs) {
    const db = drizzle({ connection: { connectionString, ...timeouts(silenceMs) } })
    const migrate = (text: string) => db.execute(text)
    return { uses: { db }, orm: db, migrate, close: () => db.$client.end() }
  },
  Kysely(connectionString, silenceMs) {
    const pool = new pg.Pool({ connectionString, ...timeouts(silenceMs) })
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
    const transaction: Transaction = (work) => kysely.transaction().execute(work)
    // Kysely ends only a pool that it has used.
    const close = () => kysely.destroy().then(() => pool.ended || pool.end())
    const migrate = (text: string) => sql.raw(text).execute(kysely)
    return { uses: { pool }, orm: { transaction }, migrate, close }
  },
  async TypeOrm(url, silenceMs) {
    const dataSource = new DataSource({ type: 'postgres', url, extra: timeouts(silenceMs) })
    await dataSource.initialize()
    const migrate = (text: string) => dataSource.query(text)
    return { uses: { dataSource }, orm: dataSource, migrate, close: () => dataSource.destroy() }
  },
  Knex(connectionString, silenceMs) {
    const connection = { connectionString, ...timeouts(silenceMs) }
    const knex = createKnex({ client: 'pg', connection })
    const migrate = (text: string) => knex.raw(text)
    return { uses: { knex }, orm: knex, migrate, close: () => knex.destroy() }
  },
  Sequelize(url, silenceMs) {
    const sequelize = new Sequelize(url, { logging: false, dialectOptions: timeouts(silenceMs) })
    return { uses: { sequelize }, orm: sequelize, close: () => sequelize.close() }
  },
  Prisma(connectionString, silenceMs) {
    const adapter = new PrismaPg({ connectionString, ...timeouts(silenceMs) })
    const prisma = new PrismaClient({ adapter })
    const transaction: Transaction = (work) => prisma.$transaction(work)
    return { uses: { prisma }, orm: { transaction }, close: () => prisma.$disconnect() }
  },
  PostgresJs(url) {
    const sql = createSql(url, { onnotice() {}, connection: { statement_timeout: 15_000 } })
    const transaction: Transaction = (work) => sql.begin(work)
    return { uses: { sql }, orm: { transaction }, close: () => sql.end({ timeout: 1 }) }
  },
}

describeApps<PostgresServer>({
  protocol: 'postgres',
  callee: { postgresStorage },
  migration: postgresMigration,
  apps,
  // https://github.com/porsager/postgres#connection-details
  timeless: 'PostgresJs',
  plants: 'plants',
  create: () => createPostgres(),
  async lock({ connection }, owner) {
    const holder = new pg.Client(connection)
    await holder.connect()
    await holder.query(`BEGIN; SELECT 1 FROM plants WHERE owner = '${owner}' FOR UPDATE`)
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    return {
      interrupt: async () => (await holder.query(cancel)).rowCount!,
      release: () => holder.end(),
    }
  },
})
