import { StorageUnavailableError } from '../errors.ts'
import { type MaybePromise, toPromise } from '../lib/promises.ts'
import type { PlantStorage } from '../plant-storage.ts'

/** A storage whose `close` may be called at any time, and more than once. */
export interface ClosableStorage extends PlantStorage {
  close(): Promise<void>
}

/**
 * Wraps a storage so that its `close` is called once, when no call is in progress, not even one that has timed out. Calls
 * after that are refused.
 */
export function closeWhenIdle(storage: PlantStorage): ClosableStorage {
  // A number, since a set of the promises would keep each call that never ends, with its request and its connection.
  let running = 0
  let whenIdle = () => {}
  let closing: Promise<void> | undefined

  function track<T>(call: () => MaybePromise<T>): MaybePromise<T> {
    if (closing) throw new StorageUnavailableError('The store is closed')
    // Once, since a query builder runs its query each time that it is awaited.
    const result = toPromise(call())
    if (!(result instanceof Promise)) return result
    running++
    result.then(end, end)
    return result
  }

  function end(): void {
    running--
    if (running === 0) whenIdle()
  }

  async function close(): Promise<void> {
    if (running > 0) {
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    }
    await storage.close?.()
  }

  return {
    create: (owner, plant, call) => track(() => storage.create(owner, plant, call)),
    list: (owner, query, call) => track(() => storage.list(owner, query, call)),
    delete: (owner, id, call) => track(() => storage.delete(owner, id, call)),
    close() {
      closing ??= close()
      return closing
    },
  }
}
