/** A value or a promise of it: what the methods of a storage, a verifier and a hook may return. */
export type MaybePromise<T> = T | Promise<T>
