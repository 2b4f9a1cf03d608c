/** A value or a promise of it: what the methods of a storage, a verifier and a hook may return. */
export type MaybePromise<T> = T | Promise<T>

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

/**
 * Lets `await using` close a store, a server or a storage. Empty for an app whose `lib` doesn't know
 * `Symbol.asyncDispose`, so that its types compile too.
 */
export type AwaitUsing = SymbolConstructor extends {
  readonly asyncDispose: infer Key extends symbol
}
  ? { readonly [K in Key]: () => Promise<void> }
  : object
