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
 * The table comes from a migration: see `d1Migration`.
 *
 * @module
 */
import type { PlantStorage } from '../plant-storage.ts'
import { reach } from './cloudflare/errors.ts'
import { type PlantRow, sqliteStatements, toStoredPlant } from './sqlite/statements.ts'

const statements = sqliteStatements('plants')

/** What `d1Storage` asks of a D1 binding. Cloudflare's own `D1Database` fits. */
export interface D1 {
  prepare(sql: string): { bind(...values: (string | number | null)[]): D1Statement }
}

/** A prepared statement with its values. */
interface D1Statement {
  all<Row>(): Promise<{ results: Row[] }>
  run(): Promise<{ meta: { changes: number } }>
}

/**
 * The SQL that makes the table, for `wrangler d1 migrations apply`, or to `run()` it in a test. It may
 * run more than once.
 *
 * @example
 * ```sh
 * node -e "import { d1Migration } from 'plant-store/storage/d1'; console.log(d1Migration)" \
 *   > migrations/0001_plants.sql
 * npx wrangler d1 migrations apply PLANTS --remote
 * ```
 */
// wrangler puts a statement of its own after it.
export const d1Migration: string = `${statements.createTable.trim()};`

/**
 * Makes a storage of a D1 database: one primary, up to 10 GB for all owners together. Ids are exact,
 * although D1 speaks doubles.
 *
 * A call that D1 fails for want of a network, a place in its queue or a running database throws
 * `StorageUnavailableError`. Was it a create or a delete, it may have happened all the same: that is
 * not retried here, since only the caller knows what it wants then.
 *
 * @param database the binding. As it stands, it asks the primary, so that what has been answered is
 *   seen by every later call; a session of D1's read replicas does not promise that.
 *
 * @example
 * ```ts
 * const storage = d1Storage(env.PLANTS)
 * ```
 */
export function d1Storage(database: D1): PlantStorage {
  return {
    create: async (owner, { id, name, tag }) =>
      (await change(statements.insert, owner, String(id), name, tag ?? null)) > 0,

    async list(owner, { after, limit }) {
      const statement =
        after === undefined
          ? database.prepare(statements.listFromStart).bind(owner, limit)
          : database.prepare(statements.listAfter).bind(owner, String(after), limit)
      const { results } = await reach(statement.all<PlantRow>())
      return results.map(toStoredPlant)
    },

    delete: async (owner, id) => (await change(statements.delete, owner, String(id))) > 0,
  }

  async function change(sql: string, ...values: (string | null)[]): Promise<number> {
    const { meta } = await reach(
      database
        .prepare(sql)
        .bind(...values)
        .run(),
    )
    return meta.changes
  }
}
