import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { createPool, type Pool as MysqlPool } from 'mysql2/promise'
import pg from 'pg'
import type { MaybePromise } from '../../src/lib/promises.ts'
import type { StoredPlant } from '../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'
import * as mysql from '../../src/storage/mysql/statements.ts'
import { mysqlStorage } from '../../src/storage/mysql.ts'
import * as postgres from '../../src/storage/postgres/statements.ts'
import { postgresStorage } from '../../src/storage/postgres.ts'
import * as sqlite from '../../src/storage/sqlite/statements.ts'
import { sqliteStorage } from '../../src/storage/sqlite.ts'

/** The storages on databases that servers have, by engine: each takes a file or a URL. */
export const databaseStorages: Record<string, (place: string) => PlantStorage> = {
  sqlite: (file) => sqliteStorage(file),
  postgres: (url) => postgresStorage(postgresPool(url)),
  mysql: (url) => mysqlStorage(mysqlPool(url)),
  'grouped-sqlite': (file) => bareSqlite(file, true),
  'bare-postgres': (url) => barePostgres(postgresPool(url)),
  'bare-mysql': (url) => bareMysql(mysqlPool(url)),
}

const postgresPool = (url: string) => new pg.Pool({ connectionString: url, max: 10 })
const mysqlPool = (url: string) => createPool({ uri: url, connectionLimit: 10 })

// The bare ones: the plant store's SQL, sent by the driver alone. Lists begin at the first id.

const FIRST_ID = `${-(2n ** 63n)}`

export function barePostgres(pool: pg.Pool): PlantStorage {
  const sql = postgres.postgresStatements(postgres.parsePostgresTable('plants'))
  const run = async (statement: postgres.Statement, values: unknown[]) =>
    (await pool.query({ ...statement, values })).rows
  return {
    create: async (owner, { id, name, tag }) =>
      (await run(sql.create, [owner, `${id}`, name, tag ?? null])).length === 1,
    list: async (owner, { limit }) =>
      (await run(sql.list, [owner, FIRST_ID, limit])).map(postgres.fromPostgresRow),
    delete: async (owner, id) => (await run(sql.delete, [owner, `${id}`])).length === 1,
  }
}

export function bareMysql(pool: MysqlPool): PlantStorage {
  const sql = mysql.mysqlStatements(mysql.parseMysqlTable('plants'))
  const run = async (statement: string, owner: string, ...values: (string | Buffer | null)[]) =>
    (await pool.execute<any>(statement, [mysql.ownerBytes(owner), ...values]))[0]
  return {
    async create(owner, { id, name, tag }) {
      const tagBytes = tag === undefined ? null : mysql.textBytes(tag)
      try {
        await run(sql.create, owner, `${id}`, mysql.textBytes(name), tagBytes)
        return true
      } catch (error: any) {
        if (error.code === 'ER_DUP_ENTRY') return false
        throw error
      }
    },
    list: async (owner, { limit }) =>
      (await run(sql.list, owner, FIRST_ID, `${limit}`)).map(mysql.fromMysqlRow),
    delete: async (owner, id) => (await run(sql.delete, owner, `${id}`)).affectedRows === 1,
  }
}

/** @param isGrouped whether the writes that come together share a commit; else each is a commit of its own */
export function bareSqlite(path: string, isGrouped = false) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec(sqlite.createTableStatement())
  const sql = sqlite.sqliteStatements()
  const insert = database.prepare(sql.create)
  const remove = database.prepare(sql.delete)
  const list = database.prepare(sql.list)
  const write = isGrouped ? groupCommit(database) : <T>(run: () => T) => run()
  return {
    create: (owner: string, { id, name, tag }: StoredPlant) =>
      write(() => insert.run(owner, id, name, tag ?? null).changes === 1),
    list: (owner: string, { limit }: PageQuery) =>
      list.all(owner, FIRST_ID, limit).map((row) => sqlite.fromSqliteRow(row as any)),
    delete: (owner: string, id: bigint) => write(() => remove.run(owner, id).changes === 1),
  } satisfies PlantStorage
}

/** Commits what was written in one turn of the event loop at once, before anybody is answered. */
function groupCommit(database: DatabaseSync): <T>(run: () => T) => MaybePromise<T> {
  let commit: Promise<void> | undefined
  async function begin(): Promise<void> {
    database.exec('BEGIN IMMEDIATE')
    await setImmediate()
    commit = undefined
    database.exec('COMMIT')
  }
  return async (run) => {
    commit ??= begin()
    const result = run()
    await commit
    return result
  }
}
