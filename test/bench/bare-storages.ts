import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { StoredPlant } from '../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'
import {
  fromMysqlRow,
  mysqlStatements,
  ownerBytes,
  parseMysqlTable,
  textBytes,
} from '../../src/storage/mysql/statements.ts'
import { fromPostgresRow, postgresStatements } from '../../src/storage/postgres/statements.ts'
import { parsePostgresTable } from '../../src/storage/postgres/table-name.ts'
import {
  createTableStatement,
  fromSqliteRow,
  sqliteStatements,
} from '../../src/storage/sqlite/statements.ts'

/** The plant store's SQL, sent by the bare driver: what its storages are compared with. */

/** A query of pg. */
type Query = (
  statement: { name: string; text: string },
  values: unknown[],
) => Promise<{ rows: any[] }>

export function barePostgres(query: Query): PlantStorage {
  const sql = postgresStatements(parsePostgresTable('plants'))
  return {
    async create(owner, { id, name, tag }) {
      return (await query(sql.create, [owner, `${id}`, name, tag ?? null])).rows.length === 1
    },
    async list(owner, { after = -(2n ** 63n) - 1n, limit }) {
      return (await query(sql.list, [owner, `${after + 1n}`, limit])).rows.map(fromPostgresRow)
    },
    async delete(owner, id) {
      return (await query(sql.delete, [owner, `${id}`])).rows.length === 1
    },
  }
}

/** @param execute of a pool of mysql2 */
export function bareMysql(execute: (sql: string, values: any[]) => Promise<any[]>): PlantStorage {
  const sql = mysqlStatements(parseMysqlTable('plants'))
  return {
    async create(owner, { id, name, tag }) {
      const values = [
        ownerBytes(owner),
        `${id}`,
        textBytes(name),
        tag === undefined ? null : textBytes(tag),
      ]
      return execute(sql.create, values).then(
        () => true,
        (error) => {
          if (error.code === 'ER_DUP_ENTRY') return false
          throw error
        },
      )
    },
    async list(owner, { after = -(2n ** 63n) - 1n, limit }) {
      const [rows] = await execute(sql.list, [ownerBytes(owner), `${after + 1n}`, `${limit}`])
      return rows.map(fromMysqlRow)
    },
    async delete(owner, id) {
      return (await execute(sql.delete, [ownerBytes(owner), `${id}`]))[0].affectedRows === 1
    },
  }
}

/** @param isGrouped whether the writes that come together share a commit; else each is a commit of its own */
export function bareSqlite(path: string, isGrouped = false) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const sql = sqliteStatements()
  database.exec(createTableStatement())
  const insert = database.prepare(sql.insert)
  const remove = database.prepare(sql.delete)
  const list = database.prepare(sql.list)
  list.setReturnArrays(true)
  const write = isGrouped ? groupCommit(database) : <T>(run: () => T) => run()
  return {
    create: (owner: string, { id, name, tag }: StoredPlant) =>
      write(() => insert.run(owner, id, name, tag ?? null).changes === 1),
    list(owner: string, { after = -(2n ** 63n) - 1n, limit }: PageQuery): StoredPlant[] {
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
