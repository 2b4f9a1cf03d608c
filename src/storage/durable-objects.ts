/**
 * Keeps plants in Cloudflare Durable Objects, each owner's in an object of their own.
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

/// <reference path="./cloudflare/workers.d.ts" />
import { DurableObject } from 'cloudflare:workers'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import { reach } from './cloudflare/errors.ts'
import { type PlantRow, sqliteStatements, toStoredPlant } from './sqlite/statements.ts'

const statements = sqliteStatements('plants')

/** What `durableObjectStorage` asks of a binding. Cloudflare's own `DurableObjectNamespace` fits. */
export interface DurableObjects {
  idFromName(name: string): unknown
  get(id: any): object
}

/** What `PlantsOfOwner` asks of its state. Cloudflare's own `DurableObjectState` fits. */
export interface DurableObjectStateWithSql {
  storage: { sql: Sql }
}

interface Sql {
  exec(
    sql: string,
    ...values: (string | number | null)[]
  ): Iterable<unknown> & { readonly rowsWritten: number }
}

/** A page, or as much of its beginning as one answer has room for. */
interface PartOfPage {
  plants: StoredPlant[]
  more: boolean
}

/** What a caller has of a `PlantsOfOwner`. */
interface Stub {
  create(owner: string, plant: StoredPlant): Promise<boolean>
  list(owner: string, query: PageQuery): Promise<PartOfPage>
  delete(owner: string, id: bigint): Promise<boolean>
}

/** An answer has at most 32 MiB, and a character takes up to two bytes on its way. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/**
 * The Durable Object that keeps the plants of one owner in its own SQLite database. Export it from the
 * Worker's entry module, and name it in the configuration, under `durable_objects` and under
 * `new_sqlite_classes` of `migrations`. It makes its table by itself.
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
      this.#sql.exec(statements.createTable)
    }

    // None of these awaits anything after a write, and none needs to: the runtime holds an answer back
    // until what was written before it is on disk in several places (the output gate,
    // https://blog.cloudflare.com/durable-objects-easy-fast-correct-choose-three/).

    create(owner: string, { id, name, tag }: StoredPlant) {
      return this.#sql.exec(statements.insert, owner, String(id), name, tag ?? null).rowsWritten > 0
    }

    delete(owner: string, id: bigint) {
      return this.#sql.exec(statements.delete, owner, String(id)).rowsWritten > 0
    }

    list(owner: string, { after, limit }: PageQuery) {
      const rows =
        after === undefined
          ? this.#sql.exec(statements.listFromStart, owner, limit)
          : this.#sql.exec(statements.listAfter, owner, String(after), limit)

      const plants: StoredPlant[] = []
      let characters = 0
      for (const row of rows as Iterable<PlantRow>) {
        plants.push(toStoredPlant(row))
        characters += row.name.length + (row.tag?.length ?? 0)
        if (characters > MAX_CHARACTERS) break
      }
      return { plants, more: characters > MAX_CHARACTERS && plants.length < limit }
    }
  }

/** An instance of the class, as the types that `wrangler types` writes need it. */
export interface PlantsOfOwner {
  /** What Cloudflare's types know an object of the runtime's class by. */
  __DURABLE_OBJECT_BRAND: never
  create(owner: string, plant: StoredPlant): boolean
  list(owner: string, query: PageQuery): PartOfPage
  delete(owner: string, id: bigint): boolean
}

/**
 * Makes a storage of Durable Objects, one for each owner. There is no database that owners share, so
 * the service grows by owners; what one owner may have and do is what one object may: 10 GB, one
 * thread.
 *
 * An answer is given once the write is durable. A call that does not reach its object, or whose object
 * is overloaded or reset, throws `StorageUnavailableError`. Was it a create or a delete, it may have
 * happened all the same: that is not retried here, since only the caller knows what it wants then.
 *
 * A page of more than some 8 million characters is read in several calls, so it is not read in one
 * instant.
 *
 * @param namespace the binding of `PlantsOfOwner`
 *
 * @example
 * ```ts
 * const storage = durableObjectStorage(env.PLANTS)
 * ```
 */
export function durableObjectStorage(namespace: DurableObjects): PlantStorage {
  return {
    create: (owner, plant) => reach(objectOf(owner).create(owner, plant)),
    delete: (owner, id) => reach(objectOf(owner).delete(owner, id)),

    async list(owner, { after, limit }) {
      const plants: StoredPlant[] = []
      for (;;) {
        const page = { after: plants.at(-1)?.id ?? after, limit: limit - plants.length }
        const part = await reach(objectOf(owner).list(owner, page))
        plants.push(...part.plants)
        if (!part.more) return plants
      }
    },
  }

  // Asked for anew each time: a stub belongs to the request that got it, and is broken once it failed.
  function objectOf(owner: string): Stub {
    return namespace.get(namespace.idFromName(owner)) as Stub
  }
}
