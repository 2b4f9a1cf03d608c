const MAX_TRIES = 5
// A deadlock or a wait for a lock may take long by itself. MySQL's innodb_lock_wait_timeout is 50 s by default.
const MAX_RETRYING_MS = 5_000
const MAX_PAUSE_MS = 20

/** The meaning of a database's errors. */
export interface Failures {
  /** Whether the statement has no effect, so that any statement may be sent again: it was rolled back, or never ran. */
  isWithoutEffect(error: unknown): boolean
  /** Whether the connection broke. The statement may have been executed. */
  isBroken(error: unknown): boolean
  /** Converts an error of the client to what a storage throws. */
  toStorageError(error: unknown): unknown
}

/**
 * Returns the function that sends a statement, and sends it again if it had no effect: because of concurrent ones, or
 * because it never ran.
 *
 * When a connection breaks, a create or delete may have been committed although the reply was lost. A second
 * try would then report a duplicate or a missing plant, which is wrong. So only a read is sent again, once.
 */
export function createRetries({ isWithoutEffect, isBroken, toStorageError }: Failures) {
  return async function sendWithRetries<T>(send: () => Promise<T>, isRead = false): Promise<T> {
    const begin = performance.now()
    for (let tries = 1; ; tries++) {
      try {
        return await send()
      } catch (error) {
        const isWorthIt = isWithoutEffect(error)
          ? tries < MAX_TRIES && performance.now() - begin < MAX_RETRYING_MS
          : isRead && tries === 1 && isBroken(error)
        if (!isWorthIt) throw toStorageError(error)
      }
      await pause()
    }
  }
}

/** Random, so that the calls that collided don't collide again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS))
}

/**
 * How often a statement that changes or finds no row, although it should, is sent again. Between a create and the look at
 * its plant, another call may delete it. With 200 callers that create and delete one plant over a network, it
 * happens ten times in a row in one of 40 000 calls.
 */
export const MAX_CHANGES = 20

/** A create or delete of one row, as a database tells of it. */
interface RowChange {
  readonly operation: 'create' | 'delete'
  /** Sends the statement. Resolves to the rows that it has changed, of which only the number counts. */
  write(): Promise<{ readonly length: number }>
  /** Resolves to the row, if it is there. */
  find(): Promise<{ readonly length: number }>
  /** The error for a statement that changes nothing, although it should. */
  toError(): Error
}

/**
 * Changes a row. Resolves to false only if that is true: the row was there before a create, or was missing before a
 * delete. A statement that changes no row may also have been ignored, by a trigger, or interrupted.
 */
export async function changeRow({ operation, write, find, toError }: RowChange): Promise<boolean> {
  for (let tries = 0; tries < MAX_CHANGES; tries++) {
    if ((await write()).length > 0) return true
    if ((await find()).length > 0 === (operation === 'create')) return false
    // Or another call came in between, so that nothing is known yet.
    await pause()
  }
  throw toError()
}
