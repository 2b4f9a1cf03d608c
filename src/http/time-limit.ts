import { isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
import { Failure } from './failure.ts'

/** The error of a call of the app's own code that exceeded its time limit. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Wraps a function of the verifier or the storage: enforces the time limit, and maps what it throws to a Failure.
 * The stable `code` decides, not the class: two copies of this package may meet in one process.
 *
 * @param toFailure the Failure for errors without a known code
 */
export function limitTime<A, B, T>(
  call: (a: A, b: B) => MaybePromise<T>,
  timeoutMs: number,
  toFailure: (cause: unknown) => unknown,
): (a: A, b: B) => MaybePromise<T> {
  return (a, b) => {
    try {
      const value = call(a, b)
      return isPromise(value) ? withTimeLimit(value, timeoutMs, toFailure) : value
    } catch (cause) {
      throw toError(cause, toFailure)
    }
  }
}

function toError(cause: unknown, toFailure: (cause: unknown) => unknown): unknown {
  return codeOf(cause) === 'rate_limited' ? rateLimited(cause) : toFailure(cause)
}

/** The `code` of an error, whatever was thrown. */
export function codeOf(error: unknown): unknown {
  return readProperty(error, 'code')
}

/** Reads a property of whatever was thrown: its getter may throw, too. */
function readProperty(error: unknown, name: string): unknown {
  try {
    return (error as Record<string, unknown> | null | undefined)?.[name]
  } catch {
    return undefined
  }
}

function rateLimited(cause: unknown): Failure {
  const retryAfterSeconds = readProperty(cause, 'retryAfterSeconds')
  const seconds = Number.isSafeInteger(retryAfterSeconds)
    ? Math.max(0, Number(retryAfterSeconds))
    : 1
  return new Failure('rate_limited', { headers: { 'retry-after': String(seconds) }, cause })
}

function withTimeLimit<T>(
  value: Promise<T>,
  ms: number,
  toFailure: (cause: unknown) => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Failure('timeout', { cause: new TimeoutError(`No result within ${ms} ms`) }))
    }, ms)
    toNative(value).then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(toError(error, toFailure))
      },
    )
  })
}
