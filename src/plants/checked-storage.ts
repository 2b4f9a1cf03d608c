import type { Exchange } from '../http/exchange.ts'
import { Failure } from '../http/failure.ts'
import { type CalleeOptions, createGuard } from '../http/guard.ts'
import { codeOf } from '../lib/code-of.ts'
import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import { kindOf } from '../lib/kind-of.ts'
import { toPromise } from '../lib/thenables.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import { type PageQuery, type PlantStorage, StorageUnavailableError } from '../plant-storage.ts'

/** A storage as the operations call it. */
export interface CheckedStorage {
  create(owner: string, plant: StoredPlant, exchange: Exchange): Promise<boolean>
  list(owner: string, query: PageQuery, exchange: Exchange): Promise<StoredPlant[]>
  delete(owner: string, id: bigint, exchange: Exchange): Promise<boolean>
  close(): Promise<void>
}

/**
 * Wraps a storage so that each call is bounded by `timeoutMs`, its errors are Failures, and a result of
 * the wrong shape is a TypeError: nobody gets a 200 or a 404 from a storage that returns `undefined`. Its `close` is
 * called once, when no call is in progress. Calls after that are refused.
 */
export function checkStorage(storage: PlantStorage, options: CalleeOptions): CheckedStorage {
  const guard = createGuard({ ...options, callee: 'storage', toFailure: toStorageFailure })
  const { promise: idle, resolve: reportIdle } = Promise.withResolvers<void>()
  let inProgress = 0
  let closing: Promise<void> | undefined

  /** Makes a call, and counts it while it is in progress, which may be after its request has timed out. */
  function track<T>(call: () => MaybePromise<T>): MaybePromise<T> {
    if (closing) throw new StorageUnavailableError('The store is closed')
    // Once, since a query builder runs its query each time that it is awaited.
    const result = toPromise(call())
    if (!(result instanceof Promise)) return result
    inProgress++
    result.then(end, end)
    return result
  }

  function end(): void {
    inProgress--
    if (closing && inProgress === 0) reportIdle()
  }

  async function closeWhenIdle(): Promise<void> {
    if (inProgress > 0) await idle
    await storage.close?.()
  }

  return {
    create: (owner, plant, exchange) =>
      guard(exchange, () => track(() => storage.create(owner, plant)), checkCreated),
    list: (owner, query, exchange) =>
      guard(
        exchange,
        () => track(() => storage.list(owner, query)),
        (page) => checkPage(page, query),
      ),
    delete: (owner, id, exchange) =>
      guard(exchange, () => track(() => storage.delete(owner, id)), checkDeleted),
    close() {
      closing ??= closeWhenIdle()
      return closing
    },
  }
}

function toStorageFailure(cause: unknown): unknown {
  return codeOf(cause) === 'storage_unavailable'
    ? new Failure('storage_unavailable', { cause })
    : cause
}

const checkCreated = (result: boolean) => checkBoolean('create', result)
const checkDeleted = (result: boolean) => checkBoolean('delete', result)

function checkBoolean(method: string, result: boolean): boolean {
  if (typeof result === 'boolean') return result
  throw new TypeError(`The storage's ${method} must return true or false; got ${kindOf(result)}`)
}

/** Copies the plants, so that each member is read once, and the checked value is the one that is used. */
function checkPage(plants: readonly StoredPlant[], { after, limit }: PageQuery): StoredPlant[] {
  if (!Array.isArray(plants)) throw wrongPage('an array', kindOf(plants))
  if (plants.length > limit) throw wrongPage(`at most ${limit} plants`, plants.length)
  let last = after ?? INT64_MIN - 1n
  const page: StoredPlant[] = []
  // Not map(), which skips what a sparse array lacks.
  for (const plant of plants) {
    const { id, name, tag } = Object(plant) as StoredPlant & { tag?: string | null }
    if (typeof id !== 'bigint') throw wrongPage('plants with a bigint id', kindOf(id))
    if (typeof name !== 'string') throw wrongPage('plants with a name', kindOf(name))
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      throw wrongPage('plants with a string as tag, or undefined', kindOf(tag))
    }
    if (id <= last) throw wrongPage(`ascending ids greater than ${last}`, `${id}`)
    last = id
    page.push({ id, name, tag: tag ?? undefined })
  }
  if (last > INT64_MAX) throw wrongPage('ids that are int64', `${last}`)
  return page
}

function wrongPage(expected: string, got: string | number): TypeError {
  return new TypeError(`The storage's list must return ${expected}; got ${got}`)
}
