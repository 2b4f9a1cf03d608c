const MAX_TRIES = 5
// A deadlock or a wait for a lock may take long by itself. MySQL's innodb_lock_wait_timeout is 50 s by default.
const MAX_RETRYING_MS = 5_000
const MAX_PAUSE_MS = 20

/** The meaning of a database's errors. */
export interface Failures {
  /** Whether the statement was rolled back because of concurrent ones, so that it may be sent again. */
  isRolledBack(error: unknown): boolean
  /** Whether the connection broke. The statement may have been executed. */
  isBroken(error: unknown): boolean
  /** Converts an error of the client to what a storage throws. */
  toStorageError(error: unknown): unknown
}

/**
 * Sends a statement, and sends it again if the database has rolled it back because of concurrent ones.
 *
 * When a connection breaks, a create or delete may have been committed although the reply was lost. A second
 * try would then report a duplicate or a missing plant, which is wrong. So only a read is sent again, once.
 */
export async function sendWithRetries<T>(
  failures: Failures,
  send: () => Promise<T>,
  isRead: boolean,
): Promise<T> {
  const begin = performance.now()
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (error) {
      const isWorthIt = failures.isRolledBack(error)
        ? tries < MAX_TRIES && performance.now() - begin < MAX_RETRYING_MS
        : isRead && tries === 1 && failures.isBroken(error)
      if (!isWorthIt) throw failures.toStorageError(error)
    }
    await pause()
  }
}

/** Random, so that the calls that collided don't collide again. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS))
}
