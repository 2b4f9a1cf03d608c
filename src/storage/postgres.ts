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

import { assertOptions } from '../lib/check-options.ts'
import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import { kindOf } from '../lib/kind-of.ts'
import type { StoredPlant } from '../plant.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { isUnprepared, withRetries } from './postgres/failure.ts'
import { postgresStatements, type Statement, toStoredPlant } from './postgres/statements.ts'
import { warnOfTimeouts } from './postgres/timeouts.ts'

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
  query(text: string, values: any[]): Promise<{ rows: any[] }>
}

/** The options of `postgresStorage` and `postgresMigration`. */
export interface PostgresStorageOptions {
  /**
   * The table: `name`, in the first schema of the search path, or `schema.name`. Letters, digits and
   * underscores, at most 40 characters, case-sensitive. Default: `plants`.
   */
  table?: string | undefined
}

/** A `PlantStorage` that can create its table. */
export interface PostgresStorage extends PlantStorage {
  /**
   * Creates the table if it does not exist, and checks its columns if it does. Any number of processes
   * may call this at once. Only the first call needs the right to create tables.
   *
   * @throws StorageUnavailableError if PostgreSQL can't be reached; PostgreSQL's own error if it refuses,
   *   or if another application's table has the name
   */
  migrate(): Promise<void>
}

/**
 * Returns the SQL that `migrate()` runs, to migrate by hand. It may be run more than once.
 *
 * @throws TypeError if an option is wrong
 *
 * @example
 * ```sh
 * node -p "require('plant-store/storage/postgres').postgresMigration()" | psql
 * ```
 */
export function postgresMigration(options: PostgresStorageOptions = {}): string {
  assertOptions('postgresMigration', options, OPTIONS)
  const { table = DEFAULT_TABLE } = options
  return postgresStatements(table).migrate
}

/**
 * Keeps plants in a PostgreSQL table. Each call is one statement, as durable as a commit of that
 * database. An owner may have up to 2600 bytes of UTF-8, the limit of an index row.
 *
 * A lost connection, a failover, a read-only standby, too many connections or a timeout throws
 * `StorageUnavailableError`; the next call is tried normally, since a pool reconnects. If the call was a
 * create or delete, it may have been committed. It is not sent again, because the second answer could be
 * wrong. Calling again tells you: a create returns `false` if the first was committed, and so does a
 * delete. Serialization failures and deadlocks, which PostgreSQL has rolled back, are tried up to five times.
 *
 * `query_timeout` of pg needs `statement_timeout` beside it. Without it, each statement that waits for a
 * lock keeps running on the server after pg has given up, until no connection is left: a pool that has
 * only `query_timeout` is reported by `console.warn`. Where the server sets `statement_timeout` (`ALTER
 * ROLE … SET statement_timeout`, as is usual behind PgBouncer), give the pool `statement_timeout: 0`.
 *
 * The client remains yours: close it after the store, or let the store close it with
 * `{ ...postgresStorage(pool), close: () => pool.end() }`. This storage is a plain object, so it can be spread.
 * `pool.end()` waits for statements in progress.
 *
 * @param client a pool for a database in UTF-8. If it has no listener for `error` events, one is added,
 *   because a broken idle connection would otherwise end the process. The pool has already removed it.
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
  client: PostgresClient,
  options: PostgresStorageOptions = {},
): PostgresStorage {
  assertClient(client)
  assertOptions('postgresStorage', options, OPTIONS)
  const { table = DEFAULT_TABLE } = options
  const sql = postgresStatements(table)
  const send = createSender(client)
  listenToErrors(client)
  warnOfTimeouts(client)

  function run<T>(statement: Statement, values: unknown[], read: Read<T>): Promise<T> {
    return withRetries((fail) => send(statement, values, read, fail))
  }

  return {
    create(owner, { id, name, tag }) {
      return run(sql.create, [owner, String(id), name, tag ?? null], hasRow)
    },
    list(owner, { after, limit }) {
      if (after === INT64_MAX) return []
      const first = after === undefined ? INT64_MIN : after + 1n
      return run(sql.list, [owner, String(first), limit], toPlants)
    },
    delete(owner, id) {
      return run(sql.delete, [owner, String(id)], hasRow)
    },
    migrate() {
      const migration = async () => void (await client.query(sql.migrate, []))
      return withRetries((fail) => migration().catch(fail))
    },
  }
}

const DEFAULT_TABLE = 'plants'
const OPTIONS = ['table']

function assertClient(client: unknown): void {
  if (typeof (client as PostgresClient | undefined)?.query === 'function') return
  // A connection string is not repeated in the message: it may contain a password.
  throw new TypeError(
    'postgresStorage needs a client with query(text, values), such as new Pool({ connectionString }) of pg; ' +
      `got ${kindOf(client)}`,
  )
}

interface Result {
  rows: any[]
}

function hasRow({ rows }: Result): boolean {
  return rows.length > 0
}

function toPlants({ rows }: Result): StoredPlant[] {
  return rows.map(toStoredPlant)
}

type Read<T> = (result: Result) => T
type Send = <T>(
  statement: Statement,
  values: unknown[],
  read: Read<T>,
  fail: (error: unknown) => Promise<T>,
) => Promise<T>

function createSender(client: PostgresClient): Send {
  if (!('connect' in client)) {
    const query = async (text: string, values: unknown[]) => client.query(text, values)
    return ({ text }, values, read, fail) => query(text, values).then(read, fail)
  }
  const query = client.query.bind(client) as unknown as (
    config: Partial<Statement> & { values: unknown[] },
  ) => Promise<Result>
  let prepares = true
  return ({ name, text }, values, read, fail) => {
    if (!prepares) return query({ text, values }).then(read, fail)
    return query({ name, text, values }).then(read, (error) => {
      if (!isUnprepared(error)) return fail(error)
      // pg keeps its record of what a connection has prepared, so the name would fail there for good.
      prepares = false
      return query({ text, values }).then(read, fail)
    })
  }
}

function listenToErrors(client: any): void {
  if (client.listenerCount?.('error') === 0) client.on('error', () => {})
}
