import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { codeOf, createGuard, type GuardLimits } from '../http/guard.ts'
import { isInt64 } from '../lib/int64.ts'
import { kindOf } from '../lib/kind-of.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'

/** The operations of a storage, with a time limit and checked results. */
export interface CheckedStorage {
  create(owner: string, plant: StoredPlant, exchange: Exchange): Promise<boolean>
  list(owner: string, query: PageQuery, exchange: Exchange): Promise<StoredPlant[]>
  delete(owner: string, id: bigint, exchange: Exchange): Promise<boolean>
}

/**
 * Wraps a storage so that each call is bounded by `timeoutMs`, its errors are Failures, and a result of
 * the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that returns `undefined`.
 */
export function checkStorage(storage: PlantStorage, limits: GuardLimits): CheckedStorage {
  const guard = createGuard({ ...limits, callee: 'storage', toFailure: toStorageFailure })
  return {
    async create(owner, plant, exchange) {
      return checkBoolean('create', await guard(exchange, () => storage.create(owner, plant)))
    },
    async list(owner, query, exchange) {
      return checkPage(await guard(exchange, () => storage.list(owner, query)), query)
    },
    async delete(owner, id, exchange) {
      return checkBoolean('delete', await guard(exchange, () => storage.delete(owner, id)))
    },
  }
}

function toStorageFailure(cause: unknown): unknown {
  return codeOf(cause) === 'storage_unavailable'
    ? new Failure('storage_unavailable', { cause })
    : cause
}

function checkBoolean(method: string, result: boolean): boolean {
  if (typeof result === 'boolean') return result
  throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
}

/** Copies the plants, so that each member is read once, and the checked value is the one that is used. */
function checkPage(plants: readonly StoredPlant[], { after, limit }: PageQuery): StoredPlant[] {
  if (!Array.isArray(plants)) throw wrongPage('an array', kindOf(plants))
  if (plants.length > limit) throw wrongPage(`at most ${limit} plants`, plants.length)
  const page: StoredPlant[] = []
  let last = after
  for (const plant of plants) {
    const { id, name, tag } = Object(plant) as StoredPlant & { tag?: string | null }
    if (typeof id !== 'bigint') throw wrongPage('plants with a bigint id', kindOf(id))
    if (typeof name !== 'string') throw wrongPage('plants with a name', kindOf(name))
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      throw wrongPage('plants whose tag is a string or undefined', kindOf(tag))
    }
    if (last !== undefined && id <= last) {
      throw wrongPage('ascending ids greater than after', `${id} after ${last}`)
    }
    last = id
    page.push({ id, name, tag: tag ?? undefined })
  }
  // The ids ascend, so if the first and the last are int64, all are.
  for (const plant of [page[0], page.at(-1)]) {
    if (plant && !isInt64(plant.id)) throw wrongPage('ids that are int64', `${plant.id}`)
  }
  return page
}

function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
