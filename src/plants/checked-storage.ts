import { Failure } from '../http/failure.ts'
import { codeOf, guard } from '../http/guard.ts'
import { isInt64 } from '../lib/int64.ts'
import { kindOf } from '../lib/kind-of.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'

/** The operations of a storage, with a time limit and checked results. */
export type CheckedStorage = Required<Omit<PlantStorage, 'close'>>

/**
 * Wraps a storage so that each call is bounded by `timeoutMs`, its errors are Failures, and a result of
 * the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that returns `undefined`.
 */
export function checkStorage(storage: PlantStorage, timeoutMs: number): CheckedStorage {
  const rules = { timeoutMs, toFailure }
  return {
    create: guard((owner, plant) => storage.create(owner, plant), {
      ...rules,
      check: booleanCheck('create'),
    }),
    list: guard((owner, query) => storage.list(owner, query), { ...rules, check: checkPage }),
    delete: guard((owner, id) => storage.delete(owner, id), {
      ...rules,
      check: booleanCheck('delete'),
    }),
  }
}

function toFailure(cause: unknown): unknown {
  return codeOf(cause) === 'storage_unavailable'
    ? new Failure('storage_unavailable', { cause })
    : cause
}

function booleanCheck(method: string): (result: boolean) => boolean {
  return (result) => {
    if (typeof result === 'boolean') return result
    throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
  }
}

function checkPage(
  plants: readonly StoredPlant[],
  { after, limit }: PageQuery,
): readonly StoredPlant[] {
  if (!Array.isArray(plants)) throw wrongPage('an array', kindOf(plants))
  if (plants.length > limit) throw wrongPage(`at most ${limit} plants`, plants.length)
  let first: bigint | undefined
  let last = after
  for (const plant of plants) {
    const { id, name, tag } = Object(plant) as StoredPlant
    if (typeof id !== 'bigint') throw wrongPage('plants with a bigint id', kindOf(id))
    if (typeof name !== 'string') throw wrongPage('plants with a name', kindOf(name))
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      throw wrongPage('plants whose tag is a string or undefined', kindOf(tag))
    }
    if (last !== undefined && id <= last) {
      throw wrongPage('ascending ids greater than after', `${id} after ${last}`)
    }
    first ??= id
    last = id
  }
  // The ids ascend, so if the first and the last are int64, all are.
  for (const id of [first, last]) {
    if (id !== undefined && !isInt64(id)) throw wrongPage('ids that are int64', `${id}`)
  }
  return plants
}

function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
