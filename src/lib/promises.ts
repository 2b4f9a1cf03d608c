/** A value or a promise of it: what the methods of a storage, a verifier and a hook may return. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, also one of another realm or library. */
export function isPromiseLike<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}

/** Handles a promise that was thrown, as by `reject(query())`: it may reject too. */
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
