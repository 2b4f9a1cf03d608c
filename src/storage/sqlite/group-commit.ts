import type { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers'
import { truncateWal, type WriteSize } from './disk-space.ts'
import {
  breaksTransaction,
  fullError,
  isBusy,
  isFull,
  isMisread,
  toStorageError,
} from './failure.ts'
import { dropCache, MAX_REREADS } from './pragma.ts'

interface Write extends WriteSize {
  readonly run: () => boolean
  readonly resolve: (value: boolean) => void
  readonly reject: (error: unknown) => void
  readonly deadline: number
  /** How many commits with this write have failed. After the first, it gets its own commit. */
  failures: number
}

export interface GroupCommitSettings {
  /** How long a write waits for a lock that another process holds, in ms. */
  readonly lockTimeoutMs: number
  /** Called before each commit. If it throws, the waiting writes fail with that error. */
  readonly assertInPlace: () => void
  /** Whether the disk has room for the writes. */
  readonly hasRoom: (writes: readonly WriteSize[]) => boolean
}

/** A commit blocks the event loop, so its length is limited. */
const MAX_GROUP = 1000
const RETRY_MS = 50

/**
 * Creates a queue in which the writes that wait at the same moment share one commit, since most of a commit's
 * time is spent waiting for the disk. Each write gets its own result once the commit is durable. Writes run in
 * order of arrival.
 *
 * If a commit fails because the disk is full or something was misread, each of its writes is tried again alone,
 * so that one write doesn't fail the others. If another process holds the lock, the commit is tried
 * again without blocking, until a write has waited for `lockTimeoutMs`.
 */
export function createGroupCommit(
  database: DatabaseSync,
  { lockTimeoutMs, assertInPlace, hasRoom }: GroupCommitSettings,
) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')

  const waiting: Write[] = []
  let whenIdle: (() => void) | undefined

  /**
   * Runs the statements of a write in the next commit.
   *
   * @param characters the length of the text that a create adds; 0 for a delete
   */
  function write(run: () => boolean, characters: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      // Deferred, so that requests that have already arrived share the commit.
      if (waiting.length === 0) setImmediate(gather)
      const deadline = performance.now() + lockTimeoutMs
      waiting.push({ run, resolve, reject, deadline, characters, failures: 0 })
    })
  }

  /**
   * Waits for one more turn of the event loop, since a request that arrived in this turn writes in the next.
   * Without it, 64 clients split into two groups that take turns: about 31 writes share a commit instead of 60,
   * and there are a fifth fewer creates per second (npm run bench -- sqlite).
   */
  function gather(): void {
    setImmediate(flush)
  }

  function flush(): void {
    const group = take()
    const locked = commitGroup(group) === 'locked'
    if (waiting.length === 0) whenIdle?.()
    else if (locked) setTimeout(flush, RETRY_MS)
    else setImmediate(flush)
  }

  /** Takes the next group: the first write alone, or all that wait. */
  function take(): Write[] {
    return waiting.splice(0, waiting[0]!.failures ? 1 : MAX_GROUP)
  }

  function commitGroup(group: Write[]): 'done' | 'locked' {
    try {
      assertInPlace()
      if (!hasRoom(group) && !isDeleteAlone(group)) throw fullError()
      begin.run()
      const answers = group.map(answerOf)
      commit.run()
      for (const answer of answers) answer()
    } catch (error) {
      rollBack()
      if (isBusy(error)) {
        waiting.unshift(...group)
        rejectAll(takeExpired(), error)
        return 'locked'
      }
      if (mayRecover(error, group[0]!.failures)) {
        for (const write of group) write.failures++
        waiting.unshift(...group)
      } else {
        rejectAll(group, error)
      }
    }
    return 'done'
  }

  function takeExpired(): Write[] {
    const now = performance.now()
    const expired = waiting.findIndex(({ deadline }) => deadline > now)
    return waiting.splice(0, expired < 0 ? waiting.length : expired)
  }

  /** Tries to remove the cause of the error. Returns whether the writes should be tried again. */
  function mayRecover(error: unknown, failures: number): boolean {
    if (isFull(error) && failures === 0) truncateWal(database)
    else if (isMisread(error) && failures < MAX_REREADS) dropCache(database)
    else return false
    return true
  }

  function rollBack(): void {
    try {
      rollback.run()
    } catch {
      // SQLite has rolled back by itself, or the transaction never began.
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

/** Whether this is one delete, which is tried on a full disk too because it makes room for creates. */
function isDeleteAlone([write]: Write[]): boolean {
  return write!.failures > 0 && write!.characters === 0
}

/** Runs a write, and returns the function that tells its caller the result once it is committed. */
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
