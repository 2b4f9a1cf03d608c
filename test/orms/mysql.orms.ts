import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { drizzle } from 'drizzle-orm/mysql2'
import createKnex from 'knex'
import { Kysely, MysqlDialect, sql } from 'kysely'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2'
import { createConnection } from 'mysql2/promise'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { mysqlMigration, mysqlStorage } from '../../src/storage/mysql.ts'
import { limitSilence } from '../faults/mysql/database.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { describeApps, type Engine, type Transaction } from './describe-apps.ts'

const apps: Engine<MariadbServer>['apps'] = {
  Drizzle(url, silenceMs) {
    const db = drizzle(url)
    db.$client.on('connection', limitSilence(silenceMs))
    const migrate = (text: string) => db.execute(text)
    return { uses: { db }, orm: db, migrate, close: () => db.$client.promise().end() }
  },
  Kysely(url, silenceMs) {
    const pool = createPool(url).on('connection', limitSilence(silenceMs))
    const kysely = new Kysely({ dialect: new MysqlDialect({ pool: pool as never }) })
    const transaction: Transaction = (work) => kysely.transaction().execute(work)
    const migrate = (text: string) => sql.raw(text).execute(kysely)
    return { uses: { pool }, orm: { transaction }, migrate, close: () => kysely.destroy() }
  },
  async TypeOrm(url, silenceMs) {
    const dataSource = new DataSource({ type: 'mysql', url })
    await dataSource.initialize()
    const { pool } = dataSource.driver as any
    pool.on('connection', limitSilence(silenceMs))
    pool.getConnection((_: unknown, connection: any) => connection.destroy())
    const migrate = (text: string) => dataSource.query(text)
    return { uses: { dataSource }, orm: dataSource, migrate, close: () => dataSource.destroy() }
  },
  Knex(connection, silenceMs) {
    const afterCreate = (connection: any, done: (error: null, connection: object) => void) => {
      limitSilence(silenceMs)(connection)
      done(null, connection)
    }
    const knex = createKnex({ client: 'mysql2', connection, pool: { afterCreate } })
    // It looks for bindings in the text.
    const migrate = (text: string) => knex.raw(text)
    return { uses: { knex }, orm: knex, migrate, close: () => knex.destroy() }
  },
  Sequelize(url, silenceMs) {
    const hooks = { afterConnect: limitSilence(silenceMs) }
    const sequelize = new Sequelize(url, { logging: false, hooks })
    return { uses: { sequelize }, orm: sequelize, close: () => sequelize.close() }
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
    return { uses: { prismaPool }, orm: { transaction }, close }
  },
}

describeApps<MariadbServer>({
  protocol: 'mysql',
  missing: NO_MARIADB,
  callee: { mysqlStorage },
  migration: mysqlMigration,
  apps,
  create: () => createMariadb(),
  plants: 'app.plants',
  async lock({ connection, run }, owner) {
    const holder = await createConnection(connection)
    await holder.query('START TRANSACTION')
    await holder.query(`SELECT 1 FROM plants WHERE owner = '${owner}' FOR UPDATE`)
    const waiting = "SELECT id FROM information_schema.PROCESSLIST WHERE info LIKE 'DELETE FROM%'"
    return {
      async interrupt() {
        const rows = await run(waiting)
        for (const { id } of rows) await run(`KILL QUERY ${id}`)
        return rows.length
      },
      release: () => holder.end(),
    }
  },
})
