import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { passesIntegrityCheck, withReader } from './integrity.ts'
import { pragma } from './pragma.ts'
import { isBackup } from './schema.ts'

const SMALLEST_PAGE = 512

/**
 * Throws, and leaves the file as it is, if opening it could lose or damage what is there.
 *
 * @param file an absolute path without symbolic links: SQLite looks for the -wal file there
 * @param table as in `ensureSchema`
 */
export function inspectFile(file: string, table?: string): void {
  const wal = `${file}-wal`
  // Read before the file itself, since a process that creates the database writes the file first.
  const hasWal = (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0
  const stat = statSync(file, { throwIfNoEntry: false })
  assertUsable(file, stat)
  const size = stat?.size ?? 0
  if (size === 0) {
    // SQLite would delete the -wal.
    if (hasWal) throw strayWalError(file, `it is ${stat ? 'empty' : 'missing'}`)
    return
  }
  if (size < SMALLEST_PAGE) throw notADatabaseError() // SQLite would overwrite it.
  // Without a -wal too, since it throws if the file is not a plant store's.
  const isUnopened = table === undefined && isUnopenedBackup(file, hasWal)
  if (isUnopened && hasWal) throw strayWalError(file, 'it is a backup')
  if (hasWal && !passesIntegrityCheck(file, table)) {
    throw strayWalError(file, `it is damaged, or it and ${wal} don't belong together`)
  }
}

export function notADatabaseError(): Error {
  return new Error('it is not a SQLite database')
}

function strayWalError(file: string, reason: string): Error {
  return new Error(
    `${reason}, and ${file}-wal holds the latest changes of a database that was not closed. If you moved that database, move its -wal file too. If you want to go on without those changes, remove ${file}-wal and ${file}-shm`,
  )
}

/** Throws if the file's directory is missing or read-only: SQLite creates files beside the database. */
export function assertDirectory(file: string): void {
  const directory = dirname(file)
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`the directory ${directory} does not exist. Create it first`)
  }
  assertWritable(directory)
}

function assertUsable(file: string, stat: Stats | undefined): void {
  if (!stat) return
  if (!stat.isFile()) throw new Error('it is not a file')
  assertWritable(file)
  if (mountPoints().includes(file)) {
    throw new Error(
      'it is mounted by itself, and SQLite keeps the latest changes in another file beside it. Mount its directory instead',
    )
  }
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    // Deno needs its permission `sys` for this. Without it, leave it to SQLite.
    if ((error as Error).name !== 'NotCapable') throw error
  }
}

/** Lists the mount points that this process sees. Empty on systems other than Linux. */
function mountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    // https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html: the fifth field, with octal escapes.
    return lines.map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    )
  } catch {
    return []
  }
}

/**
 * Whether the file is a backup that no storage has opened; throws if it is not a plant store's. Only SQLite
 * may open the file for that: if node:fs opened and closed it, POSIX would release the locks that other
 * connections of this process hold on it.
 */
function isUnopenedBackup(file: string, hasWal: boolean): boolean {
  // No locks, no -wal and no -shm file (https://sqlite.org/uri.html#uriimmutable).
  const url = `${pathToFileURL(file).href}?immutable=1`
  const read = (database: DatabaseSync) => {
    // Reads a file that is shorter than its header says, as it is after a process was killed during a
    // checkpoint. The rest is in the -wal file.
    pragma(database, 'writable_schema = ON')
    return isBackup(database, hasWal)
  }
  try {
    return withReader(url, read)
  } catch (error) {
    // Deno treats the URL as a path, unless it has all permissions. Its error has no SQLite code.
    if (/unable to open database file/.test((error as Error).message)) return false
    throw error
  }
}
