import { Failure } from '../http/failure.ts'
import { TimeoutError, withTimeout } from '../http/time-limit.ts'
import { type MaybePromise, settle } from '../maybe-promise.ts'
import { StorageUnavailableError } from '../plant-storage.ts'

/** Calls the storage, and throws the Failure that its failing or its silence amounts to. */
export function callStorage<T>(call: () => MaybePromise<T>, timeoutMs: number): MaybePromise<T> {
  return settle(
    () => withTimeout(call(), timeoutMs),
    (answer) => answer,
    rethrow,
  )
}

function rethrow(cause: unknown): never {
  if (cause instanceof TimeoutError) throw new Failure('timeout', { cause })
  if (cause instanceof StorageUnavailableError) throw new Failure('storage_unavailable', { cause })
  throw cause
}
