import { StorageUnavailableError } from '../../plant-storage.ts'

// Primary result codes of SQLite (https://sqlite.org/rescode.html).
const BUSY = 5
const FULL = 13
const NOTADB = 26

/** What may pass without anybody changing the program or the data: worth another try later. */
const UNAVAILABLE = new Map([
  [BUSY, 'Another process holds the lock of the database'],
  [6, 'Another connection holds the lock of a table'], // LOCKED
  [7, 'SQLite is out of memory'], // NOMEM
  [8, 'The database is read-only'], // READONLY: remounted by a disk error, say
  [10, 'Reading or writing the database failed'], // IOERR
  [FULL, 'The disk is full'],
  [14, 'The database can no longer be opened'], // CANTOPEN: out of file descriptors, say
  [15, 'Other processes kept taking the lock of the database'], // PROTOCOL
])
// CORRUPT and NOTADB are not among them: waiting heals no file, so those are 500 and not 503.

/** Faults of one statement, which SQLite undoes alone: TOOBIG, CONSTRAINT, MISMATCH, RANGE. */
const STATEMENT_ALONE = new Set([18, 19, 20, 25])

/** The error to throw for one of node:sqlite: a `StorageUnavailableError` if it may pass, else itself. */
export function toStorageError(error: unknown): unknown {
  const reason = UNAVAILABLE.get(resultCode(error) ?? 0)
  return reason === undefined ? error : new StorageUnavailableError(reason, { cause: error })
}

/** Whether the error leaves a transaction in doubt; else only the statement's own call failed. */
export function breaksTransaction(error: unknown): boolean {
  const code = resultCode(error)
  return code !== undefined && !STATEMENT_ALONE.has(code)
}

export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY
}

export function isFull(error: unknown): boolean {
  return resultCode(error) === FULL
}

export function isNoDatabase(error: unknown): boolean {
  return resultCode(error) === NOTADB
}

export function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_SQLITE_ERROR'
}

/** node:sqlite gives the extended result code; the primary one is in its lowest byte. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = Object(error) as { errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}
