import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Pool as MysqlPool } from 'mysql2/promise'
import type { Pool } from 'pg'
import type { MaybePromise } from '../../src/lib/promises.ts'
import type { StoredPlant } from '../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'
import {
  fromMysqlRow,
  mysqlStatements,
  ownerBytes,
  parseMysqlTable,
  textBytes,
} from '../../src/storage/mysql/statements.ts'
import {
  fromPostgresRow,
  parsePostgresTable,
  postgresStatements,
} from '../../src/storage/postgres/statements.ts'

import {
  createTableStatement,
  fromSqliteRow,
  sqliteStatements,
} from '../../src/storage/sqlite/statements.ts'

/** The plant store's SQL, sent by the bare driver: what its storages are compared with. */

const FIRST_ID = -(2n ** 63n)

export function barePostgres(pool: Pool): PlantStorage {
  const sql = postgresStatements(parsePostgresTable('plants'))
  return {
    async create(owner, { id, name, tag }) {
      const values = [owner, `${id}`, name, tag ?? null]
      return (await pool.query({ ...sql.create, values })).rows.length === 1
    },
    async list(owner, { after = FIRST_ID - 1n, limit }) {
      const values = [owner, `${after + 1n}`, limit]
      return (await pool.query({ ...sql.list, values })).rows.map(fromPostgresRow)
    },
    async delete(owner, id) {
      return (await pool.query({ ...sql.delete, values: [owner, `${id}`] })).rows.length === 1
    },
  }
}

export function bareMysql(pool: MysqlPool): PlantStorage {
  const sql = mysqlStatements(parseMysqlTable('plants'))
  return {
    async create(owner, { id, name, tag }) {
      const tagBytes = tag === undefined ? null : textBytes(tag)
      try {
        await pool.execute(sql.create, [ownerBytes(owner), `${id}`, textBytes(name), tagBytes])
        return true
      } catch (error: any) {
        if (error.code === 'ER_DUP_ENTRY') return false
        throw error
      }
    },
    async list(owner, { after = FIRST_ID - 1n, limit }) {
      const values = [ownerBytes(owner), `${after + 1n}`, `${limit}`]
      return (await pool.execute<any[]>(sql.list, values))[0].map(fromMysqlRow)
    },
    async delete(owner, id) {
      const [{ affectedRows }] = await pool.execute<any>(sql.delete, [ownerBytes(owner), `${id}`])
      return affectedRows === 1
    },
  }
}

/** @param isGrouped whether the writes that come together share a commit; else each is a commit of its own */
export function bareSqlite(path: string, isGrouped = false) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const sql = sqliteStatements()
  database.exec(createTableStatement())
  const insert = database.prepare(sql.create)
  const remove = database.prepare(sql.delete)
  const list = database.prepare(sql.list)
  list.setReturnArrays(true)
  const write = isGrouped ? groupCommit(database) : <T>(run: () => T) => run()
  return {
    create: (owner: string, { id, name, tag }: StoredPlant) =>
      write(() => insert.run(owner, id, name, tag ?? null).changes === 1),
    list(owner: string, { after = FIRST_ID - 1n, limit }: PageQuery): StoredPlant[] {
      const rows = list.all(owner, after + 1n, limit)
      return rows.map(([id, name, tag]: any) => fromSqliteRow({ id, name, tag }))
    },
    delete: (owner: string, id: bigint) => write(() => remove.run(owner, id).changes === 1),
    close: () => database.close(),
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
