/** A value or a promise of it: what the methods of a storage and a verifier may return. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, of this realm or of any library. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | null | undefined)?.then === 'function'
}

/**
 * Converts a promise of any library to a native one: the `then` of another may throw, return nothing, or call both
 * functions.
 */
export function toNative<T>(promise: Promise<T>): Promise<T> {
  return Promise.resolve(promise)
}

/** Like `then()`, but synchronous when the value is not a promise. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? toNative(value).then(next) : next(value)
}
