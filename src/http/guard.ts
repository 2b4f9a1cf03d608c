import { isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
import { Failure } from './failure.ts'

/** The error of a call of the app's own code that exceeded its time limit. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

interface GuardOptions<T, R, B> {
  timeoutMs: number
  /** Maps an error that is not `rate_limited`. */
  toFailure(cause: unknown): unknown
  /**
   * Returns the checked result. Throws if it is wrong.
   *
   * @param argument the second argument of the call
   */
  check(result: T, argument: B): R
}

/**
 * Wraps a function of the verifier or the storage: enforces the time limit, maps what it throws to a Failure, and
 * checks its result. The stable `code` of an error decides, not its class: two copies of this package may meet in
 * one process.
 */
export function guard<A, B, T, R>(
  call: (a: A, b: B) => MaybePromise<T>,
  { timeoutMs, toFailure, check }: GuardOptions<T, R, B>,
): (a: A, b: B) => MaybePromise<R> {
  return (a, b) => {
    let result: MaybePromise<T>
    try {
      result = call(a, b)
      if (isPromise(result)) return checkLater(result, b)
    } catch (cause) {
      throw mapError(cause, toFailure)
    }
    return check(result, b)
  }

  function checkLater(promise: Promise<T>, argument: B): Promise<R> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const cause = new TimeoutError(`No result within ${timeoutMs} ms`)
        reject(new Failure('timeout', { cause }))
      }, timeoutMs)
      toNative(promise).then(
        (result) => {
          clearTimeout(timer)
          try {
            resolve(check(result, argument))
          } catch (error) {
            reject(error)
          }
        },
        (cause) => {
          clearTimeout(timer)
          reject(mapError(cause, toFailure))
        },
      )
    })
  }
}

function mapError(cause: unknown, toFailure: (cause: unknown) => unknown): unknown {
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
