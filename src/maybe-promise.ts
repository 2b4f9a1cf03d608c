/** A value, or the promise of one: what a storage and a verifier may answer with. */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  // A thenable need not be a Promise of this realm.
  return typeof (value as Promise<T> | null | undefined)?.then === 'function'
}

/** Goes on with a value at once, and with a promise's when it is there: what is there already costs no promise. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Runs, and goes on with what it answers or, with `recover`, with what it throws or rejects with. */
export function settle<T, U>(
  run: () => MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
  recover: (error: unknown) => MaybePromise<U>,
): MaybePromise<U> {
  let value: T
  try {
    const answer = run()
    if (isPromise(answer)) return answer.then(next, recover)
    value = answer
  } catch (error) {
    return recover(error)
  }
  return next(value)
}
