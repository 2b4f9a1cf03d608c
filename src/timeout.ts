import { isPromise, type MaybePromise } from './maybe-promise.ts'

/** What `withTimeout` rejects with when the time is up. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** Passes a value on, and a promise's outcome if it comes within `ms` milliseconds. */
export function withTimeout<T>(value: MaybePromise<T>, ms: number): MaybePromise<T> {
  if (!isPromise(value)) return value
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No answer within ${ms} ms`)), ms)
  })
  return Promise.race([value, timeUp]).finally(() => clearTimeout(timer))
}
