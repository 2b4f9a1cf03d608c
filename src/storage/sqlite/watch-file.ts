import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '../../errors.ts'
import { databaseSize, nodeSqlite, pragma } from './connection.ts'

/** A second change within the same tick of the system's clock, of at most 10 ms, doesn't change a file's time. */
const SETTLED_MS = 20

/**
 * Returns a function that throws a StorageUnavailableError once a commit may be lost: the file or its -wal was removed or
 * replaced, the file was truncated, or another copy of SQLite uses it in this process. Call it before each commit, and
 * again before the commit is acknowledged.
 *
 * The time of the directory changes when the -wal is removed. The -wal itself isn't looked at each time: after a stat,
 * Linux 6.13 and newer gives the next write a new time, which fsync journals. The time of the -shm changes when another
 * copy of SQLite opens the file, which clears the -shm because it sees no locks.
 */
export function watchFile(database: DatabaseSync, file: string): () => void {
  const path = realpathSync(file)
  const [wal, shm] = [`${path}-wal`, `${path}-shm`]
  const opened = statSync(path)
  // SQLite creates it when the file is opened. The last connection removes it when it is closed.
  const openedWal = statIfThere(wal)
  let { size } = opened
  let checked: number[] = []

  return function assertInPlace(): void {
    const found = statIfThere(file)
    assertSame(file, found, opened)
    // After a VACUUM by another process, the database is smaller too.
    if (found.size < size && databaseSize(database) >= size) {
      throw unavailableError(`${file} was truncated`, 'Restore a backup')
    }
    size = found.size
    const now = Date.now()
    const times = [dirname(path), shm].map((name) => statIfThere(name)?.mtimeMs ?? 0)
    if (times.every((time, index) => time === checked[index])) return
    // Deno needs a permission to see it.
    if (openedWal) assertSame(wal, statIfThere(wal), openedWal)
    if (countDescriptors(shm) > 1) throw new StorageUnavailableError(`${file} ${SECOND_COPY}`)
    if (times.every((time) => Math.abs(now - time) > SETTLED_MS)) checked = times
  }
}

/**
 * Two copies of SQLite in one process, the runtime's and one of a package, don't see each other's locks, since POSIX gives
 * locks to the process. They overwrite each other's commits
 * (https://sqlite.org/howtocorrupt.html#_multiple_copies_of_sqlite_linked_into_the_same_application). All
 * connections of one copy share a descriptor of the -shm file. On Windows, each handle has its own locks.
 */
const SECOND_COPY =
  "is open in another copy of SQLite in this process, for example better-sqlite3's or libsql's, and they don't see each other's locks. Pass the open handle to d1Storage, or keep the plants in a separate file"

/** Closing these would release the locks of the other copy. */
const leftOpen: DatabaseSync[] = []

/** Throws, before the file is opened in earnest, if another copy of SQLite has it open in this process. */
export function assertOneCopy(path: string): void {
  // SQLite would take it for a killed process's, and roll it back, if another copy has begun the transaction.
  if (countDescriptors(`${path}-journal`) > 0) {
    throw new Error('a transaction on it is open in this process. End it first')
  }
  const shm = `${path}-shm`
  if (countDescriptors(shm) === 0) return
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync(path)
  try {
    pragma(database, 'schema_version') // Opens the -shm file, unless this copy of SQLite has it open.
    if (countDescriptors(shm) > 1) throw new Error(`it ${SECOND_COPY}`)
  } finally {
    if (countDescriptors(shm) > 1) leftOpen.push(database)
    else database.close()
  }
}

/** Counts the descriptors of a file that this process has open. 0 where the system doesn't tell. */
function countDescriptors(path: string): number {
  const file = statIfThere(path)
  if (!file) return 0
  try {
    const open = readdirSync('/dev/fd').map((name) => statIfThere(`/dev/fd/${name}`))
    return open.filter((found) => isSameFile(found, file)).length
  } catch {
    return 0 // Windows, and Deno without all permissions.
  }
}

function assertSame(path: string, found: Stats | undefined, opened: Stats): asserts found {
  if (isSameFile(found, opened)) return
  const change = found ? 'replaced' : 'removed'
  throw unavailableError(
    `${path} was ${change}`,
    'Put it back, or save the plants with backup() and restart',
  )
}

function isSameFile(found: Stats | undefined, opened: Stats): boolean {
  return found?.ino === opened.ino && found.dev === opened.dev
}

function unavailableError(reason: string, advice: string): StorageUnavailableError {
  const by = 'while it was open, by hand or by another copy of SQLite in this process'
  return new StorageUnavailableError(`${reason} ${by}. ${advice}`)
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // It is gone, or a directory of its path is gone or no longer accessible.
  }
}
