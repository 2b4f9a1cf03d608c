/** A value or a promise of it: what the methods of a storage, a verifier and a hook may return. */
export type MaybePromise<T> = T | Promise<T>

/** Whether a value is a promise, also one of another realm or library. */
export function isPromiseLike<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}

/** Handles a promise that was thrown, as by `reject(query())`: it may reject too. */
export function ignoreRejection(thrown: unknown): void {
  if (isPromiseLike(thrown)) thrown.then(undefined, () => {})
}

// biome-ignore lint/suspicious/noTsIgnore: @ts-expect-error would fail where the lib has it.
/** @ts-ignore The app's lib may not have it. */
type Disposable = AsyncDisposable

/**
 * Makes `await using` close a store, a server or a storage. Empty for an app whose `lib` doesn't have `AsyncDisposable`.
 * With a mapped type instead, an app that spreads a store could not emit declarations (TS4118).
 */
export type AwaitUsing = 0 extends 1 & Disposable ? object : Disposable
