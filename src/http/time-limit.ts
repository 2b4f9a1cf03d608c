import { isPromise, type MaybePromise } from '../maybe-promise.ts'

/** What `withTimeout` rejects with when the time is up. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** Passes a value on, and a promise's outcome if it comes within `ms` milliseconds. */
export function withTimeout<T>(value: MaybePromise<T>, ms: number): MaybePromise<T> {
  if (!isPromise(value)) return value
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`No answer within ${ms} ms`)), ms)
    // A thenable that isn't a Promise may break what `then` promises.
    Promise.resolve(value).then(
      (answer) => {
        clearTimeout(timer)
        resolve(answer)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
