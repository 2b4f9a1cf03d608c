import { toPromise } from '../lib/thenables.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { type PlantStorage, StorageUnavailableError } from '../plant-storage.ts'

interface TrackedStorage extends PlantStorage {
  close(): Promise<void>
}

/**
 * Wraps a storage so that its `close` is called once, when no call is in progress. A call may still be in progress
 * after its request has timed out. Calls after `close` are refused.
 */
export function trackCalls(storage: PlantStorage): TrackedStorage {
  const { promise: idle, resolve: reportIdle } = Promise.withResolvers<void>()
  let inProgress = 0
  let closing: Promise<void> | undefined

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

  async function close(): Promise<void> {
    if (inProgress > 0) await idle
    await storage.close?.()
  }

  return {
    create: (owner, plant) => track(() => storage.create(owner, plant)),
    list: (owner, query) => track(() => storage.list(owner, query)),
    delete: (owner, id) => track(() => storage.delete(owner, id)),
    close() {
      closing ??= close()
      return closing
    },
  }
}
