import type { MaybePromise } from './maybe-promise.ts'

/**
 * Returns a value as it is, and makes a promise of any thenable. `await` ignores what `then` returns. Where it is an
 * async function that throws, that would be an unhandled rejection, which ends the process.
 */
export function toPromise<T>(value: MaybePromise<T>): MaybePromise<T> {
  const thenable = value as PromiseLike<T> | null | undefined
  if (typeof thenable?.then !== 'function' || thenable instanceof Promise) return value
  return new Promise((resolve, reject) => {
    const returned: unknown = thenable.then(resolve, reject)
    if (returned instanceof Promise) returned.catch(reject)
  })
}

/** Handles a promise that was thrown, such as by `reject(query())`: it may reject too. */
export function ignoreRejection(thrown: unknown): void {
  const thenable = thrown as PromiseLike<unknown> | null | undefined
  if (typeof thenable?.then === 'function') thenable.then(undefined, () => {})
}
