import type { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers'
import { breaksTransaction, isBusy, isFull, toStorageError } from './failure.ts'

interface Write {
  run: () => boolean
  resolve: (value: boolean) => void
  reject: (error: unknown) => void
  deadline: number
}

/** A commit stops the event loop, so it shouldn't grow without end. */
const MAX_GROUP = 1000
const RETRY_MS = 50

/**
 * Makes a queue of writes in which those that wait at the same moment share one commit, since waiting
 * for the disk is what costs. Each has its own answer, given once the commit is durable. They run in
 * the order they came in.
 *
 * A lock that another process holds is tried again without blocking, until a write has waited for
 * `lockTimeoutMs`.
 */
export function createGroupCommit(database: DatabaseSync, lockTimeoutMs: number) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')

  const waiting: Write[] = []
  let whenIdle: (() => void) | undefined

  /** Runs a write, made of statements, in the next commit. */
  function write(run: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      // After what else has arrived, so that it shares the commit.
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ run, resolve, reject, deadline: performance.now() + lockTimeoutMs })
    })
  }

  function flush(): void {
    try {
      begin.run()
    } catch (error) {
      rollBack()
      rejectAll(isBusy(error) ? takeExpired() : take(), error)
      schedule(isBusy(error))
      return
    }
    commitGroup(take())
    schedule(false)
  }

  function schedule(locked: boolean): void {
    if (waiting.length === 0) whenIdle?.()
    else if (locked) setTimeout(flush, RETRY_MS)
    else setImmediate(flush)
  }

  function take(): Write[] {
    return waiting.splice(0, MAX_GROUP)
  }

  function takeExpired(): Write[] {
    const now = performance.now()
    const expired = waiting.findIndex(({ deadline }) => deadline > now)
    return waiting.splice(0, expired < 0 ? waiting.length : expired)
  }

  /** Runs a group in the transaction that has begun. */
  function commitGroup(group: Write[]): void {
    let answers: (() => void)[]
    try {
      answers = group.map(answerOf)
      commit.run()
    } catch (error) {
      rollBack()
      if (isFull(error) && group.length > 1) commitEach(group)
      else rejectAll(group, error)
      return
    }
    for (const answer of answers) answer()
  }

  /** What is too large for the rest of the disk must not keep the others from being written. */
  function commitEach(group: Write[]): void {
    for (const write of group) {
      try {
        begin.run()
      } catch (error) {
        write.reject(toStorageError(error))
        continue
      }
      commitGroup([write])
    }
  }

  function rollBack(): void {
    try {
      rollback.run()
    } catch {
      // SQLite has rolled back by itself.
    }
  }

  return {
    write,
    /** Waits until nothing waits. */
    async idle(): Promise<void> {
      if (waiting.length === 0) return
      await new Promise<void>((resolve) => {
        whenIdle = resolve
      })
    },
  }
}

function answerOf({ run, resolve, reject }: Write): () => void {
  try {
    const value = run()
    return () => resolve(value)
  } catch (error) {
    if (breaksTransaction(error)) throw error
    return () => reject(error)
  }
}

function rejectAll(group: Write[], error: unknown): void {
  for (const { reject } of group) reject(toStorageError(error))
}
