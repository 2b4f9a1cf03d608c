/**
 * Keeps plants in Cloudflare D1.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { d1Storage } from 'plant-store/storage/d1'
 * import { toWorker } from 'plant-store/workers'
 *
 * export default toWorker((env: Env) => createPlantStore(d1Storage(env.PLANTS), verify))
 * ```
 *
 * A migration creates the table: see `d1Migration`.
 *
 * @module
 */

import type { PlantStorage, StorageCall } from '../plant-storage.ts'
import { clientOf, firstIdOf, tableOf } from './shared/arguments.ts'
import { fromCloudflareError } from './shared/cloudflare-errors.ts'
import { changeRow } from './shared/retries.ts'
import { foreignTableError } from './shared/table.ts'
import {
  createTableStatement,
  fromSqliteRow,
  ignoredError,
  type SqliteRow,
  sqliteStatements,
} from './sqlite/statements.ts'
import { type Column, DEFINITION, definitionOf } from './sqlite/table.ts'

/** The part of a D1 binding that `d1Storage` uses. Cloudflare's own `D1Database` fits. */
export interface D1 {
  prepare(sql: string): { bind(...values: (string | number | null)[]): D1Statement }
}

/** A prepared statement with its values. */
interface D1Statement {
  all<Row>(): Promise<{ results: Row[] }>
}

/** The options of `d1Storage` and `d1Migration`. */
export interface D1StorageOptions {
  /** The table: letters, digits and underscores. Default: `plants`. */
  table?: string | undefined
}

/**
 * Returns the SQL that creates the table, for `wrangler d1 migrations apply`, or for `run()` in a test.
 * It may be run more than once.
 *
 * @throws TypeError if an option is wrong
 *
 * @example
 * ```sh
 * node -p "require('plant-store/storage/d1').d1Migration()" > migrations/0001_plants.sql
 * npx wrangler d1 migrations apply PLANTS --remote
 * ```
 */
export function d1Migration(options: D1StorageOptions = {}): string {
  const table = tableOf('d1Migration', options)
  // wrangler appends a statement, so this one ends with a semicolon.
  return `${createTableStatement(table).replaceAll('\n  ', '\n').trim()};`
}

/**
 * Keeps plants in a D1 database: one primary, up to 10 GB for all owners together. Ids are exact,
 * although D1 passes numbers as doubles.
 *
 * A call throws `StorageUnavailableError` when D1 can't be reached, is overloaded, restarts or is full. If
 * it was a create or delete, it may have been applied, so it is not retried. The first call also looks at the
 * table's columns, and every call throws if the table is another application's.
 *
 * @param database the binding, or a function that returns an object with its interface for each call, so that a client
 *   over HTTP can pass the call's signal on. The binding asks the primary, so every call sees what earlier calls returned.
 *   A session of D1's read replicas does not promise that.
 * @throws TypeError if the binding is missing or an option is wrong
 *
 * @example
 * ```ts
 * const storage = d1Storage(env.PLANTS)
 * ```
 */
export function d1Storage(
  database: D1 | ((call?: StorageCall) => D1),
  options: D1StorageOptions = {},
): PlantStorage {
  const needs = 'd1Storage needs a binding of d1_databases, such as env.PLANTS'
  const databaseFor = clientOf(needs, database, 'prepare')
  const table = tableOf('d1Storage', options)
  const statements = sqliteStatements(table)
  let isChecked = false

  return {
    create(owner, { id, name, tag }, call) {
      return change('create', [owner, String(id)], [name, tag ?? null], call)
    },

    async list(owner, query, call) {
      const database = databaseFor(call)
      if (!isChecked) await checkTable(database)
      const first = firstIdOf(query)
      if (first === undefined) return []
      const values = [owner, String(first), query.limit]
      const rows = await select<SqliteRow>(database, statements.list, values)
      return rows.map(fromSqliteRow)
    },

    delete(owner, id, call) {
      return change('delete', [owner, String(id)], [], call)
    },
  }

  /**
   * Throws if the table is another application's. If it is missing, the statement that follows fails.
   *
   * Concurrent first calls each check. A shared promise would never settle if workerd cancelled the request
   * that created it (https://github.com/panva/jose/issues/509).
   */
  async function checkTable(database: D1): Promise<void> {
    const columns = await select<Column>(database, statements.columns, [])
    const found = definitionOf(columns)
    isChecked = found === DEFINITION
    if (isChecked || columns.length === 0) return
    throw foreignTableError(`The table ${table}`, found, DEFINITION)
  }

  async function select<Row>(database: D1, sql: string, values: (string | number | null)[]) {
    const statement = database.prepare(sql).bind(...values)
    try {
      return (await statement.all<Row>()).results
    } catch (error) {
      throw explainMissingTable(fromCloudflareError(error), table)
    }
  }

  async function change(
    operation: 'create' | 'delete',
    key: string[],
    values: (string | null)[],
    call: StorageCall | undefined,
  ): Promise<boolean> {
    const database = databaseFor(call)
    if (!isChecked) await checkTable(database)
    // The number of changes that D1 reports includes those of the app's triggers.
    const sql = `${statements[operation]} RETURNING 1`
    return changeRow({
      operation,
      write: () => select(database, sql, [...key, ...values]),
      find: () => select(database, statements.find, key),
      toError: () => ignoredError(operation),
    })
  }
}

/** Adds advice to D1's error about a missing table. */
function explainMissingTable(error: any, table: string): unknown {
  const message = String(error?.message)
  if (!message.includes('no such table')) return error
  const advice = `Add the SQL of d1Migration({ table: '${table}' }) to the migrations, and run npx wrangler d1 migrations apply`
  return new Error(`${message}. ${advice}`, { cause: error })
}
