import { assertMethods } from './lib/assert-methods.ts'
import { createCallLimiter } from './overload/call-limiter.ts'
import { type OverloadOptions, readOverloadOptions } from './overload/overload-options.ts'
import type { PlantStorage } from './plant-storage.ts'

/**
 * Wraps a storage so that work which can't be done in time is refused early instead of piling up in front of it.
 * `createPlantStore` does this by default; see its option `maxConcurrentCalls`.
 *
 * Each method has a limit of its own, so a list never waits for creates that wait for a lock. A method that returns values
 * rather than promises never waits. Calls beyond the limit wait in a fair queue: owners take turns, and one owner never
 * holds all of a method's slots. A call whose client has gone is not begun. A burst of any size is served. A call that joins
 * a queue which has not been empty for 2 s is refused after 250 ms: the promise rejects with an error with the code
 * `overloaded`, and the client gets 503 `overloaded`. The storage was not called then.
 *
 * It costs the others a wait of up to 250 ms when a method is overloaded. A method's calls that hang hold its slots until
 * they settle, so give your driver a time limit.
 *
 * @param storage the storage to protect. It is called with the same arguments
 * @param options see `OverloadOptions`
 * @throws TypeError or RangeError when an argument or an option is wrong
 *
 * @example
 * ```ts
 * // Your own cache may stand in front of it: what is in the cache waits for nobody.
 * const limited: PlantStorage = withOverloadProtection(storage, { maxConcurrentCalls: 20 })
 * // The store's own protection is left out.
 * const store = createPlantStore(limited, verify, { maxConcurrentCalls: Infinity })
 * ```
 */
export function withOverloadProtection(
  storage: PlantStorage,
  options: OverloadOptions = {},
): PlantStorage {
  assertMethods('withOverloadProtection takes a PlantStorage', storage, [
    'create',
    'list',
    'delete',
  ])
  const createLimit = readOverloadOptions('withOverloadProtection', options)
  const runCreate = createCallLimiter(createLimit(), 'storage')
  const runList = createCallLimiter(createLimit(), 'storage')
  const runDelete = createCallLimiter(createLimit(), 'storage')
  return {
    create: (owner, plant, call) =>
      runCreate(owner, call, () => storage.create(owner, plant, call)),
    list: (owner, query, call) => runList(owner, call, () => storage.list(owner, query, call)),
    delete: (owner, id, call) => runDelete(owner, call, () => storage.delete(owner, id, call)),
    close: () => storage.close?.(),
  }
}
