/**
 * Keeps plants in Cloudflare Durable Objects, one object per owner.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { durableObjectStorage } from 'plant-store/storage/durable-objects'
 * import { toWorker } from 'plant-store/workers'
 *
 * export { PlantsOfOwner } from 'plant-store/storage/durable-objects'
 * export default toWorker((env: Env) => createPlantStore(durableObjectStorage(env.PLANTS), verify))
 * ```
 *
 * @module
 */

/// <reference path="./shared/cloudflare-workers.d.ts" />
import { DurableObject } from 'cloudflare:workers'
import { assertMethods } from '../lib/arguments.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import { firstIdOf } from './shared/arguments.ts'
import { fromCloudflareError } from './shared/cloudflare-errors.ts'
import {
  createTableStatement,
  fromSqliteRow,
  ignoredError,
  type SqliteRow,
  sqliteStatements,
} from './sqlite/statements.ts'

const statements = sqliteStatements('plants')

/** The part of a binding that `durableObjectStorage` uses. Cloudflare's own `DurableObjectNamespace` fits. */
export interface DurableObjects {
  idFromName(name: string): unknown
  get(id: any): object
}

/** The part of its state that `PlantsOfOwner` uses. Cloudflare's own `DurableObjectState` fits. */
export interface DurableObjectStateWithSql {
  storage: { sql: Sql }
}

interface Sql {
  exec(sql: string, ...values: (string | number | null)[]): Iterable<unknown>
}

/**
 * The Durable Object class that keeps the plants of one owner in its own SQLite database. Export it from
 * the Worker's entry module, and name it in the configuration, under `durable_objects` and under
 * `new_sqlite_classes` of `migrations`. It creates its table itself.
 *
 * @example
 * ```jsonc
 * "durable_objects": { "bindings": [{ "name": "PLANTS", "class_name": "PlantsOfOwner" }] },
 * "migrations": [{ "tag": "v1", "new_sqlite_classes": ["PlantsOfOwner"] }]
 * ```
 */
export const PlantsOfOwner: new (ctx: DurableObjectStateWithSql, env: unknown) => PlantsOfOwner =
  class extends DurableObject implements PlantsOfOwner {
    readonly #sql: Sql

    constructor(ctx: DurableObjectStateWithSql, env: unknown) {
      super(ctx, env)
      this.#sql = ctx.storage.sql
      this.#sql.exec(createTableStatement())
    }

    // Nothing is awaited after a write. The runtime delays the result until the write is on disk in
    // several places (the output gate,
    // https://blog.cloudflare.com/durable-objects-easy-fast-correct-choose-three/).

    create(owner: string, { id, name, tag }: StoredPlant) {
      return this.#change('create', [owner, String(id)], [name, tag ?? null])
    }

    delete(owner: string, id: bigint) {
      return this.#change('delete', [owner, String(id)], [])
    }

    #change(operation: 'create' | 'delete', key: string[], values: (string | null)[]) {
      if (this.#has(`${statements[operation]} RETURNING 1`, [...key, ...values])) return true
      if (this.#has(statements.find, key) === (operation === 'create')) return false
      throw ignoredError(operation)
    }

    /** Whether a statement returns a row. Its `rowsWritten` includes those of the app's triggers. */
    #has(sql: string, values: (string | null)[]): boolean {
      return [...this.#exec(sql, values)].length > 0
    }

    /** Executes a statement. A subclass may have called `deleteAll()`, which removes the table from an object that lives on. */
    #exec(sql: string, values: (string | number | null)[]): Iterable<unknown> {
      try {
        return this.#sql.exec(sql, ...values)
      } catch (error) {
        if (!String(error).includes('no such table')) throw error
        this.#sql.exec(createTableStatement())
        return this.#sql.exec(sql, ...values)
      }
    }

    // An RPC result has at most 32 MiB, far more than a page of the store.
    list(owner: string, query: PageQuery) {
      const first = firstIdOf(query)
      if (first === undefined) return []
      const rows = this.#exec(statements.list, [owner, String(first), query.limit])
      return [...(rows as Iterable<SqliteRow>)].map(fromSqliteRow)
    }
  }

/** An instance of the class, in the form that the output of `wrangler types` needs. */
export interface PlantsOfOwner {
  /** Marks a subclass of the runtime's class in Cloudflare's types. */
  __DURABLE_OBJECT_BRAND: never
  create(owner: string, plant: StoredPlant): boolean
  list(owner: string, query: PageQuery): StoredPlant[]
  delete(owner: string, id: bigint): boolean
}

/**
 * Keeps plants in Durable Objects, one per owner. Owners share no database, so the service grows with the
 * number of owners. One owner has the limits of one object: 10 GB, one thread.
 *
 * A call resolves once the write is durable. It throws `StorageUnavailableError` when its object can't be
 * reached, is overloaded or is reset. If it was a create or delete, it may have been applied, so it is not
 * retried.
 *
 * @param namespace the binding of `PlantsOfOwner`
 * @throws TypeError if the binding is missing
 *
 * @example
 * ```ts
 * const storage = durableObjectStorage(env.PLANTS)
 * ```
 */
export function durableObjectStorage(namespace: DurableObjects): PlantStorage {
  const needs =
    'durableObjectStorage needs a Durable Object binding, such as env.PLANTS. Name the binding under durable_objects in the configuration of wrangler'
  assertMethods(needs, namespace, ['idFromName'])

  return {
    create: (owner, plant) => withStorageErrors(objectOf(owner).create(owner, plant)),
    list: (owner, query) => withStorageErrors(objectOf(owner).list(owner, query)),
    delete: (owner, id) => withStorageErrors(objectOf(owner).delete(owner, id)),
  }

  // Per call: a stub belongs to the request that got it, and is broken once it has failed.
  function objectOf(owner: string): PlantsOfOwner {
    return namespace.get(namespace.idFromName(owner)) as PlantsOfOwner
  }
}

/** Awaits a call of an object, which returns a promise through RPC, and maps its errors. */
async function withStorageErrors<T>(call: T): Promise<Awaited<T>> {
  try {
    return await call
  } catch (error) {
    throw fromCloudflareError(error)
  }
}
