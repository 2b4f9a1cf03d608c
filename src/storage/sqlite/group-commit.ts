import type { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers'
import { truncateWal, type WriteSize } from './disk-space.ts'
import { failsEveryWrite, fromSqliteError, fullError, isBusy, isFull, isMisread } from './errors.ts'
import { createIsolatedOwners } from './isolated-owners.ts'
import { dropCache } from './pragma.ts'

interface Write extends WriteSize {
  readonly owner: string
  readonly run: () => boolean
  readonly resolve: (value: boolean) => void
  readonly reject: (error: unknown) => void
  readonly deadline: number
  /** The maximum number of writes in its commit: fewer after a commit that it shared has failed. */
  share: number
}

export interface GroupCommitSettings {
  /** The time that a write waits for a lock that another process holds, in ms. */
  readonly lockTimeoutMs: number
  /** Called before each commit. If it throws, the waiting writes fail with that error. */
  readonly assertInPlace: () => void
  /** Whether the disk has room for the writes. */
  readonly hasRoom: (writes: readonly WriteSize[]) => boolean
}

// A commit blocks the event loop, so a group is limited in writes and in the text that they add.
const MAX_GROUP = 1000
const MAX_CHARACTERS = 1024 * 1024

/** The interval at which a lock of another process is tried, in ms. */
const RETRY_MS = 3

/**
 * Creates a queue in which the writes that wait at the same moment share one commit, since most of a commit's
 * time is spent waiting for the disk. Each write gets its own result once the commit is durable.
 *
 * A write that fails, by a constraint or a trigger of the application for example, doesn't fail the others. The
 * group is rolled back and committed without it, and then the write is tried again in a commit of its own. So
 * nothing remains of a statement that failed midway (`RAISE(FAIL)`). If the commit fails (deferred foreign keys),
 * any of the writes may be the cause, and each half gets a commit. For a while then, the owner of a write that
 * was refused shares commits with no other owner, who would wait for that each time.
 *
 * If another process holds the lock, the group is tried again without blocking, until a write has waited for
 * `lockTimeoutMs`.
 */
export function createGroupCommit(
  database: DatabaseSync,
  { lockTimeoutMs, assertInPlace, hasRoom }: GroupCommitSettings,
) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')

  let waiting: Write[] = []
  const { isolatedOwner, isolate } = createIsolatedOwners()
  let whenIdle: (() => void) | undefined

  /**
   * Runs the statements of a write in the next commit.
   *
   * @param characters the length of the text that a create adds; 0 for a delete
   */
  function write(owner: string, run: () => boolean, characters: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      // Deferred, so that requests that have already arrived share the commit.
      if (waiting.length === 0) setImmediate(gather)
      const deadline = performance.now() + lockTimeoutMs
      waiting.push({ owner, run, resolve, reject, deadline, characters, share: MAX_GROUP })
    })
  }

  /**
   * Waits for one more turn of the event loop, since a request that arrived in this turn writes in the next.
   * Without it, 64 clients split into two groups that take turns: about 31 writes share a commit instead of 60,
   * and there are a seventh fewer creates per second (npm run bench -- sqlite).
   */
  function gather(): void {
    setImmediate(flush)
  }

  function flush(): void {
    const pauseMs = commitGroup(takeGroup())
    if (waiting.length === 0) whenIdle?.()
    else if (pauseMs > 0) setTimeout(flush, pauseMs)
    else setImmediate(flush)
  }

  /** Takes the writes of the next commit: as many as fit in a group. */
  function takeGroup(): Write[] {
    const now = performance.now()
    const isolated = isolatedOwner(waiting[0]!.owner, now)
    const group: Write[] = []
    const others: Write[] = []
    let characters = 0
    let share = MAX_GROUP
    for (const write of waiting.slice(0, MAX_GROUP)) {
      if (isolatedOwner(write.owner, now) !== isolated) {
        others.push(write)
        continue
      }
      characters += write.characters
      share = Math.min(share, write.share)
      if (group.length > 0 && (group.length >= share || characters > MAX_CHARACTERS)) break
      group.push(write)
    }
    waiting.splice(0, group.length + others.length, ...others)
    return group
  }

  /** Returns how long to wait before the next commit, in ms: for the lock of another process, if that is held. */
  function commitGroup(group: Write[]): number {
    try {
      assertInPlace()
      if (!hasRoom(group) && !isDeleteAlone(group)) throw fullError()
      begin.run()
      const { answers, failed } = runAll(group)
      if (failed.length === 0) {
        commit.run()
        for (const answer of answers) answer()
      } else {
        rollBack()
        for (const { owner } of failed) isolate(owner)
        waiting.unshift(...group.filter((write) => !failed.includes(write)))
        retryBy(1, failed)
      }
    } catch (error) {
      rollBack()
      if (isMisread(error)) dropCache(database)
      if (isBusy(error)) {
        waiting.unshift(...group)
        rejectExpired(error)
        return RETRY_MS
      }
      if (isFull(error) && group[0]!.share > 1) {
        // There may be room once the -wal file is moved.
        truncateWal(database)
        retryBy(1, group)
      } else if (group.length > 1 && !failsEveryWrite(error)) {
        retryBy(Math.ceil(group.length / 2), group)
      } else {
        if (!failsEveryWrite(error)) isolate(group[0]!.owner)
        rejectAll(group, error)
      }
    }
    return 0
  }

  /** Runs the writes of a group. Throws what fails the whole group. */
  function runAll(group: Write[]) {
    const answers: (() => void)[] = []
    const failed: Write[] = []
    for (const write of group) {
      try {
        const value = write.run()
        answers.push(() => write.resolve(value))
      } catch (error) {
        if (group.length === 1 || failsEveryWrite(error)) throw error
        failed.push(write)
        if (isMisread(error)) dropCache(database)
        // RAISE(ROLLBACK) has ended the transaction: what follows would be committed by itself.
        if (!database.isTransaction) break
      }
    }
    return { answers, failed }
  }

  /** Tries writes again in commits of at most so many, after those that wait already. */
  function retryBy(share: number, writes: Write[]): void {
    for (const write of writes) write.share = share
    waiting.push(...writes)
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
  return write!.share === 1 && write!.characters === 0
}

function rejectAll(group: Write[], error: unknown): void {
  for (const { reject } of group) reject(fromSqliteError(error))
}
