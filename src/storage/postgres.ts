/**
 * Keeps plants in PostgreSQL, or in what speaks its protocol.
 *
 * ```ts
 * import { Pool } from 'pg'
 * import { createPlantStore } from 'plant-store'
 * import { postgresStorage } from 'plant-store/storage/postgres'
 *
 * const pool = new Pool({ connectionTimeoutMillis: 5_000, query_timeout: 20_000 })
 * const storage = postgresStorage(pool)
 * await storage.migrate()
 * const store = createPlantStore(storage, verify)
 * ```
 *
 * @module
 */

import type { PlantStorage } from '../plant-storage.ts'
import { INT64_MAX, INT64_MIN } from '../plants/int64.ts'
import { isUnprepared, withRetries } from './postgres/failure.ts'
import { CREATE, DELETE, LIST, MIGRATE, type Statement, toStoredPlant } from './postgres/table.ts'

/**
 * What `postgresStorage` asks of a driver. A `Pool` of pg and of `@neondatabase/serverless` fits, and
 * so does a `PGlite`. A client that has `connect` is taken for pg's like: its statements have names,
 * so that each connection prepares them once; once a connection turns out to have lost one (after
 * `DEALLOCATE ALL`, or behind a pooler), they are sent without.
 *
 * @example for postgres.js
 * ```ts
 * postgresStorage({ query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) })
 * ```
 */
export interface PostgresClient {
  query(text: string, values: any[]): Promise<{ rows: any[] }>
}

/** A `PlantStorage` that can make its table. */
export interface PostgresStorage extends PlantStorage {
  /**
   * Makes the table `plants`, in the first schema of the search path, if it isn't there. Any number of
   * processes may call this at once. Only the first time takes the right to create tables.
   *
   * @throws StorageUnavailableError when PostgreSQL is out of reach, its own error when it refuses, as
   *   it does with a newer version's table
   */
  migrate(): Promise<void>
}

/**
 * The SQL that `migrate()` runs, for those who migrate by hand. It may run more than once.
 *
 * @example
 * ```sh
 * node -p "require('plant-store/storage/postgres').postgresMigration" | psql
 * ```
 */
export const postgresMigration: string = MIGRATE

/**
 * Keeps plants in PostgreSQL. A call is one statement, sent once, and is as durable as a commit is
 * there. Owners are limited to 2600 bytes of UTF-8, by the size of an index row.
 *
 * A lost connection, a failover, a standby that can't write, too many connections, a timeout: the call
 * throws `StorageUnavailableError`, and the next one has another chance, since a pool connects anew.
 * Was it a create or a delete, it may have been committed all the same; it is never run again, so that
 * no answer is wrong. Whoever sends it again learns what is: a create that was committed is then a
 * duplicate, a delete that was is then of no plant. Serialization failures and deadlocks, which
 * PostgreSQL has rolled back, are tried five times.
 *
 * The client stays yours: close it after the store. Or let the store do that:
 * `{ ...postgresStorage(pool), close: () => pool.end() }`.
 *
 * @param client a pool, of a database in UTF-8. If nobody listens to its `error` events, this does, as
 *   an idle connection that breaks would end the process; a pool has then forgotten it already.
 *
 * @example
 * ```ts
 * const storage = postgresStorage(new PGlite('plants'))
 * await storage.migrate()
 * ```
 */
export function postgresStorage(client: PostgresClient): PostgresStorage {
  const send = sender(client)
  listenToErrors(client)

  function run(statement: Statement, ...values: unknown[]): Promise<{ rows: any[] }> {
    return withRetries(() => send(statement, values))
  }

  return {
    create(owner, { id, name, tag }) {
      return run(CREATE, owner, String(id), name, tag ?? null).then(isAnyRow)
    },
    list(owner, { after, limit }) {
      if (after === INT64_MAX) return []
      const first = after === undefined ? INT64_MIN : after + 1n
      return run(LIST, owner, String(first), limit).then(({ rows }) => rows.map(toStoredPlant))
    },
    delete(owner, id) {
      return run(DELETE, owner, String(id)).then(isAnyRow)
    },
    async migrate() {
      await withRetries(async () => client.query(MIGRATE, []))
    },
  }
}

function isAnyRow({ rows }: { rows: any[] }): boolean {
  return rows.length > 0
}

type Send = (statement: Statement, values: unknown[]) => Promise<{ rows: any[] }>

function sender(client: PostgresClient): Send {
  if (!('connect' in client)) return async ({ text }, values) => client.query(text, values)
  const query = client.query.bind(client) as unknown as (
    config: Partial<Statement> & { values: unknown[] },
  ) => ReturnType<Send>
  let prepares = true
  return ({ name, text }, values) => {
    if (!prepares) return query({ text, values })
    return query({ name, text, values }).catch((error) => {
      if (!isUnprepared(error)) throw error
      // pg never forgets what it has prepared on a connection, so the name would fail there for good.
      prepares = false
      return query({ text, values })
    })
  }
}

function listenToErrors(client: any): void {
  if (client.listenerCount?.('error') === 0) client.on('error', () => {})
}
