import type { MaybePromise } from './maybe-promise.ts'

/** What `withTimeout` rejects with when the time is up. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** Passes a value on, and a promise's outcome if it comes within `ms` milliseconds. */
export function withTimeout<T>(value: MaybePromise<T>, ms: number): MaybePromise<T> {
  // A thenable need not be a Promise of this realm.
  if (typeof (value as Promise<T> | null)?.then !== 'function') return value
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No answer within ${ms} ms`)), ms)
  })
  return Promise.race([value, timeUp]).finally(() => clearTimeout(timer))
}
