/**
 * Keeps plants in MySQL or MariaDB.
 *
 * ```ts
 * import { createPool } from 'mysql2/promise'
 * import { createPlantStore } from 'plant-store'
 * import { mysqlStorage } from 'plant-store/storage/mysql'
 *
 * const storage = mysqlStorage(createPool('mysql://app@localhost/app'))
 * await storage.migrate()
 * const store = createPlantStore(storage, verify)
 * ```
 *
 * @module
 */

import { StorageUnavailableError } from '../errors.ts'
import { assertMethods } from '../lib/arguments.ts'
import { INT64_MIN } from '../lib/int64.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { isDuplicate, isOtherKey, withMysqlRetries } from './mysql/errors.ts'
import {
  changedRows,
  fromMysqlRow,
  type MysqlStatements,
  mysqlStatements,
  mysqlTableSql,
  onlyRow,
  ownerBytes,
  parseMysqlTable,
  textBytes,
} from './mysql/statements.ts'
import {
  assertMysqlTable,
  type Execute,
  type FoundMysqlTable,
  findMysqlTable,
} from './mysql/table.ts'
import { firstIdOf, poolSize, tableOf } from './shared/arguments.ts'
import { changeRow, MAX_CHANGES, pause } from './shared/retries.ts'

/**
 * The part of a driver that `mysqlStorage` uses: prepared statements. A pool or a connection of `mysql2/promise`
 * fits as it is.
 *
 * @example <caption>mariadb</caption>
 * ```ts
 * mysqlStorage({ execute: async (statement, values) => [await pool.execute(statement, values)] })
 * ```
 */
export interface MysqlClient {
  /**
   * Prepares a statement on the server, unless it is prepared already, and executes it. Resolves to an array whose
   * first element is the rows, or an object with `affectedRows`.
   */
  execute(statement: MysqlStatement, values: any[]): Promise<[result: any, ...others: any[]]>
  /** How many statements it runs at once: the size of the pool behind it. Default: read from a pool of mysql2. */
  readonly maxConcurrentCalls?: number | undefined
}

/** A pool or a connection of `mysql2`, whose functions take callbacks. */
export interface MysqlCallbackClient {
  promise(): MysqlClient
}

/** A statement, and how the driver returns its rows, regardless of the pool's settings. */
export interface MysqlStatement {
  sql: string
  rowsAsArray: true
  nestTables: false
  namedPlaceholders: false
  /** Returns each value as it came. Missing, if the pool has no `typeCast` of the app. */
  typeCast?: (field: any, next: () => any) => any
}

/** The options of `mysqlStorage` and `mysqlMigration`. */
export interface MysqlStorageOptions {
  /**
   * The table: `name`, in the database of the connection, or `database.name`. Letters, digits and
   * underscores, at most 64 characters each. Default: `plants`.
   */
  table?: string | undefined
}

/** A `PlantStorage` that can create its table. */
export interface MysqlStorage extends PlantStorage {
  /**
   * Creates the table if it does not exist, and checks its columns, its key and its engine if it does. Any
   * number of processes may call this at once. Only the first call needs the right to create tables.
   *
   * @throws StorageUnavailableError if the server can't be reached; the server's own error if it refuses;
   *   an Error if another application's table has the name, or if a setting of the server would lose plants
   */
  migrate(): Promise<void>
}

/**
 * Returns the SQL that creates the table, for your migrations. It may be run more than once.
 *
 * @throws TypeError if an option is wrong
 *
 * @example
 * ```sh
 * node -p "require('plant-store/storage/mysql').mysqlMigration()" | mysql app
 * ```
 */
export function mysqlMigration(options: MysqlStorageOptions = {}): string {
  return mysqlTableSql(parseMysqlTable(tableOf('mysqlMigration', options)))
}

/**
 * Keeps plants in a MySQL or MariaDB table. Each call is one statement, which commits by itself. It is as durable
 * as a commit of that server. An owner may have up to 1404 bytes of UTF-8.
 *
 * A lost connection, a failover, a read-only replica, too many connections or a timeout throws
 * `StorageUnavailableError`; the next call is tried normally, since a pool reconnects. If the call was a
 * create or delete, it may have been committed. It is not sent again, because the second answer could be
 * wrong. Calling again tells you: a create returns `false` if the first was committed, and so does a
 * delete. A list is sent again once if its connection breaks. Deadlocks, and lock wait timeouts of less than 5 s,
 * which the server has rolled back, are tried up to five times.
 *
 * The first call also looks at the table, as `migrate()` does, and throws if it is missing or wrong. So create
 * the storage once per process. A constraint of your app that refuses a create or delete throws the server's error,
 * which has the constraint's name. Nothing is changed then.
 *
 * A connection on which your app has left a transaction open doesn't commit. mysql2 reports that, and the create or
 * delete throws. The change may still be committed or rolled back, with that transaction. A list on it lacks what
 * others have committed since the transaction began.
 *
 * Statements are prepared on the server, so no value is ever part of the SQL. Plants don't depend on the character
 * sets, the collations, the time zone or the `sql_mode` of the server and the connection.
 *
 * The client remains yours: close it after the store, or with the store, by
 * `{ ...mysqlStorage(pool), close: () => pool.end() }`. This storage is a plain object, so it can be spread.
 *
 * @param client a pool of `mysql2/promise` or `mysql2`, or an object with `execute`. Its connections must commit
 *   each statement (`autocommit`), which is the default.
 * @throws TypeError if the client or an option is wrong
 *
 * @example
 * ```ts
 * import { createPool } from 'mysql2/promise'
 *
 * const storage = mysqlStorage(createPool('mysql://app@localhost/app'), { table: 'garden_plants' })
 * await storage.migrate()
 * ```
 */
export function mysqlStorage(
  client: MysqlClient | MysqlCallbackClient,
  options: MysqlStorageOptions = {},
): MysqlStorage {
  const execute = createMysqlSender(client)
  let name = parseMysqlTable(tableOf('mysqlStorage', options))
  let prepared: MysqlStatements | undefined

  return {
    maxConcurrentCalls: mysqlPoolSize(client),
    create(owner, { id, name, tag }) {
      const values = [textBytes(name), tag === undefined ? null : textBytes(tag)]
      return change('create', owner, id, values)
    },
    async list(owner, query) {
      const first = firstIdOf(query)
      if (first === undefined) return []
      const sql = prepared ?? usePlantTable(await look())
      const values = [ownerBytes(owner), String(first), String(query.limit)]
      for (let tries = 0; tries < MAX_CHANGES; tries++) {
        const rows: object[] = await withMysqlRetries(() => execute(sql.list, values), true)
        // MariaDB also answers an interrupted list as if it had found no row, but not MAX(). As a part of each list, by UNION,
        // that would make a list of 10 take 1.4 times as long.
        if (rows.length > 0 || (await lastId(sql, owner)) < first) return rows.map(fromMysqlRow)
        await pause()
      }
      throw interruptedError('list')
    },
    delete(owner, id) {
      return change('delete', owner, id, [])
    },
    async migrate() {
      let found = await look()
      if (found.definition === undefined) {
        const sql = mysqlTableSql(found.table)
        // Any number of processes may create it at once.
        await withMysqlRetries(() => execute(sql, []))
        found = await look()
      }
      usePlantTable(found)
    },
  }

  async function change(
    operation: 'create' | 'delete',
    owner: string,
    id: bigint,
    values: unknown[],
  ): Promise<boolean> {
    const key = [ownerBytes(owner), String(id)]
    const sql = prepared ?? usePlantTable(await look())
    let refusal: Error | undefined
    return changeRow({
      operation,
      async write() {
        const send = () => execute(sql[operation], [...key, ...values])
        try {
          return { length: changedRows(await withMysqlRetries(send)) }
        } catch (error) {
          if (operation === 'delete' || !isDuplicate(error)) throw error
          refusal = error as Error
          return []
        }
      },
      // A unique key has refused a create: the primary key, or another of the app, of this table or of one that a
      // trigger writes to. The message doesn't tell for sure. MariaDB answers an interrupted DELETE (KILL QUERY,
      // max_statement_time) as if it had found no row.
      async find() {
        const found = await withMysqlRetries(() => execute(sql.find, key), true)
        if (found.length === 0 && refusal && isOtherKey(refusal)) throw refusal
        return found
      },
      toError: () => refusal ?? interruptedError(operation),
    })
  }

  /** Returns the owner's largest id; or a number that is too small for an id, if there are no plants. */
  async function lastId({ last }: MysqlStatements, owner: string): Promise<bigint> {
    const rows = await withMysqlRetries(() => execute(last, [ownerBytes(owner)]), true)
    const [id] = onlyRow(rows, 1)
    return id === null || id === undefined ? INT64_MIN - 1n : BigInt(id)
  }

  function usePlantTable(found: FoundMysqlTable): MysqlStatements {
    assertMysqlTable(found)
    // From here on, the table has one name, regardless of a connection's database.
    name = found.table
    prepared = mysqlStatements(name)
    return prepared
  }

  /** Looks at the table. Concurrent first calls each do. */
  function look(): Promise<FoundMysqlTable> {
    return withMysqlRetries(() => findMysqlTable(execute, name), true)
  }
}

function interruptedError(operation: 'create' | 'list' | 'delete'): Error {
  return new StorageUnavailableError(
    `The server found no row in ${MAX_CHANGES} tries of a ${operation}, as if it had been interrupted each time`,
  )
}

function mysqlPoolSize(client: any): number | undefined {
  // What takes callbacks is behind the pool or connection that returns promises.
  const { config, threadId } = client.pool ?? client.connection ?? client
  const size = client.maxConcurrentCalls ?? config?.connectionLimit
  return poolSize(size ?? (threadId === undefined ? undefined : 1))
}

function createMysqlSender(client: MysqlClient | MysqlCallbackClient): Execute {
  const needs =
    'mysqlStorage needs a client with execute(statement, values), such as createPool(url) of mysql2'
  assertMethods(needs, client, ['execute'])
  const target: any = 'promise' in client ? client.promise() : client
  // mysql2's default is true. To call a function for each value takes 5 of the 50 µs of CPU of a list of 10.
  const castsTypes = target.pool?.config?.connectionConfig?.typeCast !== true
  const how: Omit<MysqlStatement, 'sql'> = {
    rowsAsArray: true,
    nestTables: false,
    namedPlaceholders: false,
    ...(castsTypes ? { typeCast: (_, next) => next() } : {}),
  }
  return async (sql, values) => (await target.execute({ ...how, sql }, values))?.[0]
}
