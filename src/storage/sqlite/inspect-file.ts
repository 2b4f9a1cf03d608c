import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { databaseSize, inTransaction, pragma, withDatabase } from './connection.ts'
import { isMisread } from './errors.ts'
import { isBackup } from './schema.ts'

const SMALLEST_PAGE = 512
/** A database up to this size is checked in full beside a -wal file. A large one would take seconds. */
const FULLY_READ_BYTES = 8 * 1024 * 1024

/**
 * Throws, and leaves the file as it is, if opening it could lose or damage what is there.
 *
 * @param file an absolute path without symbolic links: SQLite looks for the -wal file there
 * @param table as in `ensureSchema`
 */
export function inspectFile(file: string, table?: string): void {
  // Read before the file itself, since a process that creates the database writes the file first.
  const hasWal = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  const stat = statSync(file, { throwIfNoEntry: false })
  const size = stat?.size ?? 0
  if (stat) {
    if (!stat.isFile()) throw new Error('it is not a file')
    assertWritable(file)
    assertNotMounted(file)
  }
  if (size === 0) {
    // SQLite would delete the -wal.
    if (hasWal) throw strayWalError(file, `it is ${stat ? 'empty' : 'missing'}`)
    return
  }
  if (size < SMALLEST_PAGE) throw notADatabaseError() // SQLite would overwrite it.
  // Without a -wal too, since it throws if the file is not a plant store's.
  const isUnopened = table === undefined && isUnopenedBackup(file, hasWal)
  if (isUnopened && hasWal) throw strayWalError(file, 'it is a backup')
  if (hasWal && !fitsItsWal(file, table)) {
    throw strayWalError(file, `it is damaged, or it and ${file}-wal don't belong together`)
  }
}

/** Throws if the file's directory is missing or read-only: SQLite creates files beside the database. */
export function assertDirectory(file: string): void {
  const directory = dirname(file)
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`the directory ${directory} does not exist. Create it first`)
  }
  assertWritable(directory)
}

export function notADatabaseError(): Error {
  return new Error('it is not a SQLite database')
}

function strayWalError(file: string, reason: string): Error {
  return new Error(
    `${reason}, and ${file}-wal holds the latest changes of a database that was not closed. If you moved that database, move its -wal file too. If you want to go on without those changes, remove ${file}-wal and ${file}-shm`,
  )
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    // Deno needs its permission `sys` for this. Without it, leave it to SQLite.
    if ((error as Error).name !== 'NotCapable') throw error
  }
}

/** Throws if the file is a mount point, as with `docker run -v plants.db:/plants.db`. Only Linux tells. */
function assertNotMounted(file: string): void {
  let mounts = ''
  try {
    mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {}
  // https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html: the fifth field, where a space is \040.
  const escaped = file.replaceAll(' ', '\\040')
  if (mounts.split('\n').every((line) => line.split(' ')[4] !== escaped)) return
  throw new Error(
    'it is mounted by itself, and SQLite keeps the latest changes in another file beside it. Mount its directory instead',
  )
}

/**
 * Whether the file is a backup that no storage has opened; throws if it is not a plant store's. Only SQLite
 * may open the file for that: if node:fs opened and closed it, POSIX would release the locks that other
 * connections of this process hold on it.
 */
function isUnopenedBackup(file: string, hasWal: boolean): boolean {
  // No locks, no -wal and no -shm file (https://sqlite.org/uri.html#uriimmutable).
  const url = `${pathToFileURL(file).href}?immutable=1`
  try {
    return withDatabase(url, { readOnly: true }, (database) => {
      // Reads a file that is shorter than its header says, as it is after a process was killed during a
      // checkpoint. The rest is in the -wal file.
      pragma(database, 'writable_schema = ON')
      return isBackup(database, hasWal)
    })
  } catch (error) {
    // Deno treats the URL as a path, unless it has all permissions. Its error has no SQLite code.
    if (/unable to open database file/.test((error as Error).message)) return false
    throw error
  }
}

/**
 * Whether the file and its -wal make a sound database. The header doesn't reveal a -wal file of another
 * database, or of the same one at another time. So this checks the content of both together. The check is
 * needed only after an unclean end, or while another process has the file open.
 */
function fitsItsWal(file: string, table: string | undefined): boolean {
  function check(database: DatabaseSync): boolean {
    if (databaseSize(database) > FULLY_READ_BYTES) {
      return hasEveryNewPage(`${file}-wal`, statSync(file).size)
    }
    return pragma(database, `quick_check(${scopeOfCheck(database, table)})`) === 'ok'
  }
  // A read-only connection doesn't write the -wal file's content into the database when it is closed.
  return withDatabase(file, { readOnly: true }, (database) => {
    try {
      // In a transaction, no other process can shorten the file or begin the -wal anew.
      return inTransaction(database, 'BEGIN', () => check(database))
    } catch (error) {
      if (isMisread(error)) return false
      throw error
    }
  })
}

/**
 * Returns the argument of quick_check. In an application's own file, whose other tables may need collations that only
 * its connections have, it names the plants' table, or the schema while that table is missing.
 */
function scopeOfCheck(database: DatabaseSync, table: string | undefined): string {
  if (table === undefined) return '1'
  const column = pragma(database, `table_info("${table}")`)
  return column === undefined ? 'sqlite_schema' : `"${table}"`
}

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** SQLite never uses the page that holds this byte: it is the place of locks. */
const LOCK_BYTE = 0x40000000

/**
 * Whether a -wal file has each page by which the database has grown beyond its file. A checkpoint makes the file
 * as long as the database before the -wal begins anew, so a page that both lack shows that one of them is older
 * than the other. Only the headers of the frames are read.
 */
function hasEveryNewPage(wal: string, databaseBytes: number): boolean {
  // SQLite has no locks on the -wal, so closing it releases none.
  const file = openSync(wal, 'r')
  try {
    const header = readAt(file, 0, HEADER_BYTES)
    const pageSize = header.getUint32(8)
    const pages = new Set<number>()
    let lastPage = 0
    for (let at = HEADER_BYTES; pageSize > 0; at += FRAME_HEADER_BYTES + pageSize) {
      const frame = readAt(file, at, FRAME_HEADER_BYTES)
      // A frame of an earlier round has other salts, and the end of the file has zeros.
      if (frame.getBigUint64(8) !== header.getBigUint64(16)) break
      pages.add(frame.getUint32(0))
      // In the last frame of a commit: the number of pages that the database has then.
      lastPage = frame.getUint32(4) || lastPage
    }
    for (let page = Math.floor(databaseBytes / pageSize) + 1; page <= lastPage; page++) {
      if (!pages.has(page) && page !== LOCK_BYTE / pageSize + 1) return false
    }
    return true
  } finally {
    closeSync(file)
  }
}

/** Reads bytes; zeros after the end of the file. */
function readAt(file: number, position: number, length: number): DataView {
  const bytes = new Uint8Array(length)
  readSync(file, bytes, 0, length, position)
  return new DataView(bytes.buffer)
}
