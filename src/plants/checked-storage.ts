import { Failure } from '../http/failure.ts'
import { callWithin, codeOf } from '../http/time-limit.ts'
import { kindOf } from '../kind-of.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'

/** The operations of a storage, with a time limit, and with results that are what they have to be. */
export type CheckedStorage = Required<Omit<PlantStorage, 'close'>>

/**
 * Wraps a storage so that each call is bounded by `timeoutMs`, its errors are Failures, and a result of
 * the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that returns `undefined`.
 */
export function checkStorage(storage: PlantStorage, timeoutMs: number): CheckedStorage {
  function call<T>(run: () => MaybePromise<T>, check: (result: T) => T): MaybePromise<T> {
    return andThen(callWithin(timeoutMs, run, toFailure), check)
  }
  return {
    create: (owner, plant) => call(() => storage.create(owner, plant), assertBoolean('create')),
    delete: (owner, id) => call(() => storage.delete(owner, id), assertBoolean('delete')),
    list: (owner, query) =>
      call(
        () => storage.list(owner, query),
        (plants) => {
          const problem = problemOfPage(plants, query)
          if (problem !== undefined) throw new TypeError(`The storage's list ${problem}`)
          return plants
        },
      ),
  }
}

function toFailure(cause: unknown): unknown {
  return codeOf(cause) === 'storage_unavailable'
    ? new Failure('storage_unavailable', { cause })
    : cause
}

function assertBoolean(method: 'create' | 'delete'): (result: boolean) => boolean {
  return (result) => {
    if (typeof result === 'boolean') return result
    throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
  }
}

/** What is wrong with a page that a storage returned, as the end of a sentence; undefined if nothing is. */
function problemOfPage(plants: readonly StoredPlant[], { after, limit }: PageQuery) {
  if (!Array.isArray(plants)) return `must return an array; got ${kindOf(plants)}`
  if (plants.length > limit) return `must return at most ${limit} plants; got ${plants.length}`
  let last = after
  for (const plant of plants) {
    const { id, name, tag } = Object(plant) as StoredPlant
    if (typeof id !== 'bigint') return `must return plants with a bigint id; got ${kindOf(id)}`
    if (typeof name !== 'string') return `must return plants with a name; got ${kindOf(name)}`
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      return `must return plants whose tag is a string or undefined; got ${kindOf(tag)}`
    }
    if (last !== undefined && id <= last) return `must return ascending ids, greater than after`
    last = id
  }
  return undefined
}
