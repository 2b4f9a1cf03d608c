import { CallSignal } from '../lib/call-signal.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { PlantStorage, StorageCall } from '../plant-storage.ts'

/**
 * Wraps a storage so that a call which takes longer than `timeoutMs` rejects with a CallTimeoutError, and its signal is
 * aborted. Costs the others nothing: each call has a timer of its own.
 */
export function limitTime(storage: PlantStorage, timeoutMs: number): PlantStorage {
  function limit<T>(
    outer: StorageCall | undefined,
    call: (own: StorageCall) => MaybePromise<T>,
  ): MaybePromise<T> {
    const own = new CallSignal(outer)
    return withTimeout(timeoutMs, own, call(own))
  }
  return {
    create: (owner, plant, call) => limit(call, (own) => storage.create(owner, plant, own)),
    list: (owner, query, call) => limit(call, (own) => storage.list(owner, query, own)),
    delete: (owner, id, call) => limit(call, (own) => storage.delete(owner, id, own)),
    close: () => storage.close?.(),
  }
}
