/**
 * Keeps plants in PostgreSQL, or in a database that speaks its protocol.
 *
 * ```ts
 * import { Pool } from 'pg'
 * import { createPlantStore } from 'plant-store'
 * import { postgresStorage } from 'plant-store/storage/postgres'
 *
 * const pool = new Pool({
 *   connectionTimeoutMillis: 5_000,
 *   statement_timeout: 15_000, // the server stops the statement
 *   query_timeout: 20_000, // pg stops waiting for a server that has fallen silent
 *   allowExitOnIdle: true, // an idle connection doesn't keep the process alive
 * })
 * const storage = postgresStorage(pool)
 * await storage.migrate()
 * const store = createPlantStore(storage, verify)
 * ```
 *
 * @module
 */

import { kindOf } from '../lib/arguments.ts'
import type { PlantStorage, StorageCall } from '../plant-storage.ts'
import { isUnprepared, withPostgresRetries } from './postgres/errors.ts'
import {
  fromPostgresRow,
  type PostgresStatements,
  parsePostgresTable,
  postgresStatements,
  postgresTableSql,
  quotePostgresTable,
  type Statement,
} from './postgres/statements.ts'
import {
  assertPostgresTable,
  type FoundPostgresTable,
  findPostgresTableSql,
} from './postgres/table.ts'
import { clientOf, firstIdOf, poolSize, tableOf } from './shared/arguments.ts'
import { changeRow } from './shared/retries.ts'

/**
 * The part of a driver that `postgresStorage` uses. A `Pool` of pg or `@neondatabase/serverless` and a
 * `PGlite` fit as they are. A client with a `connect` method is used like pg's: its statements are named,
 * so that each connection prepares them once. When a connection turns out to have lost one (after
 * `DEALLOCATE ALL`, or behind a pooler), that call and all later ones are sent unnamed.
 *
 * @example <caption>postgres.js</caption>
 * ```ts
 * postgresStorage({ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) })
 * ```
 */
export interface PostgresClient {
  /** `values` is left out for a statement without values. Each row is an object with the columns. */
  query(text: string, values?: any[]): Promise<{ rows: any[] }>
  /** How many statements it runs at once: the size of the pool behind it. Default: read from a pool of pg. */
  readonly maxConcurrentCalls?: number | undefined
}

/** The options of `postgresStorage` and `postgresMigration`. */
export interface PostgresStorageOptions {
  /**
   * The table: `name`, in the first schema of the search path, or `schema.name`. Letters, digits and
   * underscores, at most 40 characters, case-sensitive. The search path is read once, by `migrate()` or the
   * first call. Default: `plants`.
   */
  table?: string | undefined
}

/** A `PlantStorage` that can create its table. */
export interface PostgresStorage extends PlantStorage {
  /**
   * Creates the table if it does not exist, and checks it if it does. Any number of processes may call this at
   * once. Only the first call needs the right to create tables.
   *
   * @throws StorageUnavailableError if PostgreSQL can't be reached; PostgreSQL's own error if it refuses;
   *   an Error that says what to do if the table has other columns, another key or an inexact collation, if the
   *   database can't store every text, or if the new table would hide one of a later schema
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
 * node -p "require('plant-store/storage/postgres').postgresMigration()" | psql
 * ```
 */
export function postgresMigration(options: PostgresStorageOptions = {}): string {
  return postgresTableSql(parsePostgresTable(tableOf('postgresMigration', options)))
}

/**
 * Keeps plants in a PostgreSQL table. Each call is one statement, as durable as a commit of that
 * database. An owner may have up to 2600 bytes of UTF-8, the limit of an index row.
 *
 * A lost connection, a failover, a read-only standby, too many connections or a timeout throws
 * `StorageUnavailableError`; the next call is tried normally, since a pool reconnects. If the call was a
 * create or delete, it may have been committed. It is not sent again, because the second answer could be
 * wrong. Calling again tells you: a create returns `false` if the first was committed, and so does a
 * delete. A list is sent again once if its connection breaks. Serialization failures and
 * deadlocks, which PostgreSQL has rolled back, are tried up to five times.
 *
 * The first call also looks at the table, as `migrate()` does, and throws if it is missing or wrong. So create
 * the storage once per process. A constraint of your app that refuses a create or delete throws an error with
 * the constraint's name. A trigger or row-level security that skips one without an error throws too.
 * Nothing is changed then.
 *
 * A connection on which your app has left a transaction open would not commit. With pg, the call throws, and the pool
 * drops the connection.
 *
 * With `query_timeout` of pg, also set `statement_timeout`. Otherwise each statement that waits for a lock keeps
 * running on the server after pg has given up, until no connection is left. The server may set it:
 * `ALTER ROLE … SET statement_timeout`, as is usual behind PgBouncer.
 *
 * The client remains yours: close it after the store, or with the store, by
 * `{ ...postgresStorage(pool), close: () => pool.end() }`. This storage is a plain object, so it can be spread.
 * `pool.end()` waits for statements in progress.
 *
 * @param client a pool for a database in UTF-8, or a function that returns the client of each call. One over HTTP can
 *   pass the call's signal on. If a pool itself is passed and has no listener for `error` events, one is added, because
 *   a broken idle connection would otherwise end the process. The pool has already removed that connection.
 * @throws TypeError if the client or an option is wrong
 *
 * @example
 * ```ts
 * import { PGlite } from '@electric-sql/pglite'
 *
 * const storage = postgresStorage(new PGlite('plants'), { table: 'garden_plants' })
 * await storage.migrate()
 * ```
 */
export function postgresStorage(
  client: PostgresClient | ((call?: StorageCall) => PostgresClient),
  options: PostgresStorageOptions = {},
): PostgresStorage {
  const needs =
    'postgresStorage needs a client with query(text, values), such as new Pool({ connectionString }) of pg'
  const clientFor = clientOf(needs, client, 'query')
  let name = parsePostgresTable(tableOf('postgresStorage', options))
  let prepared: PostgresStatements | undefined
  const query = createQuery()
  const pool: any = client
  if (pool.listenerCount?.('error') === 0) pool.on('error', ignore)

  return {
    maxConcurrentCalls: postgresPoolSize(client),
    create(owner, { id, name, tag }, call) {
      return change('create', [owner, String(id)], [name, tag ?? null], call)
    },
    async list(owner, page, call) {
      const first = firstIdOf(page)
      if (first === undefined) return []
      const client = clientFor(call)
      const { list } = prepared ?? usePlantTable(await look(client))
      const values = [owner, String(first), page.limit]
      return (await query(client, list, values, true)).map(fromPostgresRow)
    },
    delete(owner, id, call) {
      return change('delete', [owner, String(id)], [], call)
    },
    async migrate() {
      const client = clientFor()
      let found = await look(client)
      // Where a new table would hide another, it remains missing.
      if (!found.definition && found.visible === null) {
        const sql = postgresTableSql({ ...name, schema: found.schema ?? undefined })
        const [created] = await Promise.allSettled([withPostgresRetries(() => client.query(sql))])
        found = await look(client)
        // If that failed, another process may have created it at the same moment.
        if (created.status === 'rejected' && !found.definition) throw created.reason
      }
      usePlantTable(found)
    },
  }

  async function change(
    operation: 'create' | 'delete',
    key: string[],
    values: unknown[],
    call: StorageCall | undefined,
  ): Promise<boolean> {
    const client = clientFor(call)
    const sql = prepared ?? usePlantTable(await look(client))
    return changeRow({
      operation,
      write: () => query(client, sql[operation], [...key, ...values]),
      find: () => query(client, sql.find, key, true),
      toError: () =>
        new Error(
          `PostgreSQL skipped a ${operation} in the table ${quotePostgresTable(name)} without an error. If a trigger ` +
            'did, let it raise an exception. If row-level security did, add a policy for it.',
        ),
    })
  }

  function usePlantTable(found: FoundPostgresTable): PostgresStatements {
    assertPostgresTable(found, name)
    // From here on, the table has one name, regardless of a connection's search path.
    name = { ...name, schema: found.schema! }
    prepared = postgresStatements(name)
    return prepared
  }

  /** Looks at the table. Concurrent first calls each do, as with D1. */
  async function look(client: PostgresClient): Promise<FoundPostgresTable> {
    const result = await withPostgresRetries(() => client.query(findPostgresTableSql(name)), true)
    return rowsOf(result, 'encoding')[0]
  }
}

function postgresPoolSize(client: any): number | undefined {
  // A Client of pg, and a PGlite, are one connection.
  const isOne = 'connectionParameters' in client || 'execProtocol' in client
  return poolSize(client.maxConcurrentCalls ?? client.options?.max ?? (isOne ? 1 : undefined))
}

/**
 * Returns the function that sends a statement and resolves to its rows. Where pg tells whether a connection is in a
 * transaction, the function does what `pool.query()` does, and throws if the app has left a transaction open there.
 */
function createQuery() {
  let prepares = true

  async function send(client: any, { name, text }: Statement, values: unknown[]): Promise<any[]> {
    if (!('connect' in client)) return rowsOf(await client.query(text, values), 'id')
    const isPool = Boolean(client.Client?.prototype?.getTransactionStatus)
    const connection = isPool ? await takeConnection(client) : client
    let failure: unknown
    try {
      assertNoTransaction(connection)
      const result = await connection.query(prepares ? { name, text, values } : { text, values })
      // The statement of a single connection may have waited for a BEGIN that the app had sent before.
      assertNoTransaction(connection)
      return rowsOf(result, 'id')
    } catch (error) {
      failure = error
      // It is sent again. pg keeps its record of what a connection has prepared, so the name would fail there for good.
      if (isUnprepared(error)) prepares = false
      throw error
    } finally {
      if (isPool) releaseConnection(connection, failure)
    }
  }

  return (client: PostgresClient, statement: Statement, values: unknown[], isRead = false) =>
    withPostgresRetries(() => send(client, statement, values), isRead)
}

function takeConnection(pool: any): Promise<any> {
  return new Promise((resolve, reject) => {
    pool.connect((error: unknown, connection: any) => {
      if (error) return reject(error)
      // The pool listens only while the connection is idle. The statement fails with the same error. Awaiting the
      // connection first would be too late for an error that arrives in one packet with the end of connecting.
      connection.on('error', ignore)
      resolve(connection)
    })
  })
}

/** As `pool.query()` does: a connection on which something has failed is not used again. */
function releaseConnection(connection: any, failure: unknown): void {
  connection.off('error', ignore)
  connection.release(failure)
}

function assertNoTransaction(connection: any): void {
  if (!/[TE]/.test(connection.getTransactionStatus?.())) return
  throw new Error(
    // Not "connection", which is a word of errors that are unavailability.
    'The client is in a transaction that the app has left open, so this would not be committed. End each transaction before its client is released, and do not pass the client of a transaction.',
  )
}

function ignore(): void {}

/**
 * Returns the rows of a result. TypeORM returns the rows of a SELECT, but `[rows, count]` for a DELETE. A client
 * that passes this on as rows would make each delete `true`.
 */
function rowsOf(result: { rows: any[] } | undefined, column: string): any[] {
  const rows = result?.rows
  const wrong = Array.isArray(rows) ? rows.find((row) => typeof row?.[column] !== 'string') : rows
  if (Array.isArray(rows) && wrong === undefined) return rows
  throw new TypeError(
    'query() of the client must return { rows }, with an object for each row whose members are the columns; ' +
      `got ${Array.isArray(rows) ? `${kindOf(wrong)} as a row` : `${kindOf(rows)} as rows`}`,
  )
}
