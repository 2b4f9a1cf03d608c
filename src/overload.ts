import type { AuthVerifier } from './auth-verifier.ts'
import { assertMethods, kindOf } from './lib/arguments.ts'
import type { AwaitUsing } from './lib/promises.ts'
import { TimedCall } from './lib/timed-call.ts'
import { createCallLimiter } from './overload/call-limiter.ts'
import { type OverloadOptions, readOverloadOptions } from './overload/overload-options.ts'
import type { PlantStorage } from './plant-storage.ts'

/**
 * Wraps a storage so that work which can't be done in time is refused early instead of piling up in front of it.
 * `createPlantStore` does this by default; see its option `maxConcurrentCalls`.
 *
 * Each method has a limit of its own, so a list never waits for creates that wait for a lock. A method that returns values
 * rather than promises never waits. One that returns promises for some results and values for others does: if it has a
 * cache, put that in front.
 *
 * Calls beyond the limit wait in a fair queue: owners take turns, and one owner never holds all of a method's slots. A call
 * whose client has gone is not begun. A burst of any size is served. A call that joins a queue which has not been empty for
 * 2 s is refused after 250 ms: the promise rejects with an error with the code `overloaded`, and the client gets 503
 * `overloaded`. The storage was not called then. Without `maxConcurrentCalls`, none is refused before more calls at once are
 * known to slow each other down. The pages of a list after the first one are not refused.
 *
 * It costs the others a wait when a method is overloaded: up to 250 ms, and longer for calls of its first 2 s. Calls that
 * hang give their slots back when the time limit of their `signal` has passed. Without `maxConcurrentCalls`, they do so
 * earlier: after 0.6 s, or three times as long as a call takes in an idle storage, and in an overloaded one after 3 s.
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
): PlantStorage & AwaitUsing {
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
    list(owner, query, call) {
      // Refusing a later page would break a list that has begun. A call that isn't the store's may be for one.
      const isFirst = call instanceof TimedCall ? !call.isLaterPage : query.after === undefined
      return runList(owner, call, () => storage.list(owner, query, call), isFirst)
    },
    delete: (owner, id, call) => runDelete(owner, call, () => storage.delete(owner, id, call)),
    close: () => storage.close?.(),
    async [Symbol.asyncDispose]() {
      await storage.close?.()
    },
  }
}

/**
 * Wraps a verifier of your own that asks a database or a service, so that a flood of unknown tokens doesn't pile up in front
 * of it. Put a cache around it: a token that is in the cache waits for nobody. The bundled verifiers do both already.
 *
 * Calls beyond the limit wait, and calls that hang give their slots back, as with `withOverloadProtection`. A token can't be
 * told from a stranger's before it has been verified, so a newcomer waits beside strangers: as long as they keep the queue
 * from getting empty, the newest calls come first, and one that waits for 250 ms is refused with an error with the code
 * `overloaded`. The client gets 503 `overloaded` with `Retry-After`. A call whose client has gone is not begun.
 *
 * @param verify the verifier. It is called with the same arguments
 * @param options see `OverloadOptions`
 * @throws TypeError or RangeError when an argument or an option is wrong
 *
 * @example
 * ```ts
 * const limited: AuthVerifier = limitCalls(verify, { maxConcurrentCalls: 20 })
 * const store = createPlantStore(storage, limited)
 * ```
 */
export function limitCalls(verify: AuthVerifier, options: OverloadOptions = {}): AuthVerifier {
  if (typeof verify !== 'function') {
    throw new TypeError(`limitCalls takes a verifier, which is a function; got ${kindOf(verify)}`)
  }
  const run = createCallLimiter(readOverloadOptions('limitCalls', options)(), 'verifier')
  return (token, context) => run(undefined, context, () => verify(token, context))
}
