import type { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers'
import { dropCache } from './connection.ts'
import { failsEveryWrite, fromSqliteError, isBusy, isMisread } from './errors.ts'

interface Write {
  readonly run: () => boolean
  readonly resolve: (value: boolean) => void
  readonly reject: (error: unknown) => void
  readonly deadline: number
  /** Whether it gets a separate commit, since it may have failed the shared one. */
  isAlone: boolean
}

/** A commit blocks the event loop, and 200 plants of 16 KiB are 3 MiB. */
const MAX_GROUP = 200

/** The interval at which a lock of another process is tried, in ms. */
const RETRY_MS = 3

/**
 * Creates a queue in which the writes that wait at the same moment share one commit, since most of a commit's
 * time is spent waiting for the disk. Each write gets its own result once the commit is durable.
 *
 * A write that fails, by a constraint or a trigger of the application for example, doesn't fail the others. The
 * group is rolled back, so that nothing remains of a statement that failed midway (`RAISE(FAIL)`), and committed
 * without it. Then the write is tried again in a separate commit. If the commit fails (deferred foreign keys), any of
 * the writes may be the cause, and each gets a commit.
 *
 * If another process holds the lock, the group is tried again without blocking, until a write has waited for
 * `lockTimeoutMs`.
 *
 * @param assertInPlace called before and after each commit. If it throws, the writes fail with that error
 */
export function createGroupCommit(
  database: DatabaseSync,
  lockTimeoutMs: number,
  assertInPlace: () => void,
) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')

  let waiting: Write[] = []
  let whenIdle: (() => void) | undefined

  /**
   * Runs the statements of a write in the next commit.
   *
   * It waits for the second turn of the event loop, since a request that arrived in this turn writes in the next.
   * Otherwise, 64 clients split into two groups that take turns: about 31 writes share a commit instead of 60,
   * and there are a seventh fewer creates per second (npm run bench -- sqlite).
   */
  function write(run: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => setImmediate(flush))
      const deadline = performance.now() + lockTimeoutMs
      waiting.push({ run, resolve, reject, deadline, isAlone: false })
    })
  }

  function flush(): void {
    const pauseMs = commitGroup(takeGroup())
    if (waiting.length === 0) whenIdle?.()
    else if (pauseMs > 0) setTimeout(flush, pauseMs)
    else setImmediate(flush)
  }

  /** Takes the writes of the next commit from the queue. */
  function takeGroup(): Write[] {
    if (waiting[0]!.isAlone) return waiting.splice(0, 1)
    const firstAlone = waiting.findIndex(({ isAlone }) => isAlone)
    return waiting.splice(0, firstAlone < 0 ? MAX_GROUP : Math.min(firstAlone, MAX_GROUP))
  }

  /** Returns how long to wait before the next commit, in ms: for the lock of another process, if that is held. */
  function commitGroup(group: Write[]): number {
    try {
      assertInPlace()
      begin.run()
      const values = runAll(group)
      if (values.length < group.length) {
        rollBack()
        putBack(group)
        return 0
      }
      commit.run()
      assertInPlace()
      for (const [index, { resolve }] of group.entries()) resolve(values[index]!)
    } catch (error) {
      rollBack()
      if (isMisread(error)) dropCache(database)
      if (isBusy(error)) {
        putBack(group)
        rejectExpired(error)
        return RETRY_MS
      }
      if (group.length > 1 && !failsEveryWrite(error)) {
        for (const write of group) write.isAlone = true
        putBack(group)
      } else rejectAll(group, error)
    }
    return 0
  }

  /** Runs the writes of a group, up to one that ends the transaction. Throws what fails the whole group. */
  function runAll(group: Write[]): boolean[] {
    const values: boolean[] = []
    for (const write of group) {
      try {
        values.push(write.run())
      } catch (error) {
        if (group.length === 1 || failsEveryWrite(error)) throw error
        write.isAlone = true
        if (isMisread(error)) dropCache(database)
        // RAISE(ROLLBACK) has ended the transaction: what follows would be committed by itself.
        if (!database.isTransaction) break
      }
    }
    return values
  }

  /** Puts writes back into the queue. Those that get separate commits come last. */
  function putBack(group: Write[]): void {
    waiting.unshift(...group.filter(({ isAlone }) => !isAlone))
    waiting.push(...group.filter(({ isAlone }) => isAlone))
  }

  function rejectExpired(error: unknown): void {
    const now = performance.now()
    const expired = waiting.filter(({ deadline }) => deadline <= now)
    waiting = waiting.filter(({ deadline }) => deadline > now)
    rejectAll(expired, error)
  }

  function rollBack(): void {
    try {
      rollback.run()
    } catch {
      // SQLite has rolled back by itself, or the transaction never began or was committed.
    }
  }

  return {
    write,
    /** Resolves when no write waits. */
    async idle(): Promise<void> {
      if (waiting.length === 0) return
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    },
  }
}

function rejectAll(group: Write[], error: unknown): void {
  for (const { reject } of group) reject(fromSqliteError(error))
}
