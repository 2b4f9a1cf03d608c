/** A value, or the promise of one: what a storage and a verifier may answer with. */
export type MaybePromise<T> = T | Promise<T>
