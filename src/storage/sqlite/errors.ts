import { StorageUnavailableError } from '../../errors.ts'

// Primary result codes of SQLite (https://sqlite.org/rescode.html).
const BUSY = 5
const CORRUPT = 11
const NOTADB = 26

/**
 * SQLite reports a failed read as damage at times, on a disk with I/O errors and on network file systems
 * (dotnet/efcore#29630). The next read succeeds then, unless the file is damaged.
 */
const MISREAD = 'The database is damaged, or a read went wrong'

/** Failures that may end by themselves, so that a later call may succeed. */
const TEMPORARY = new Map([
  [BUSY, 'Another process holds the lock of the database'],
  [6, 'Another connection holds the lock of a table'], // LOCKED
  [7, 'SQLite is out of memory'], // NOMEM
  [8, 'The database is read-only'], // READONLY: remounted after a disk error, for example
  [10, 'Reading or writing the database failed'], // IOERR
  [CORRUPT, MISREAD],
  [13, 'The disk is full'], // FULL
  [14, 'The database can no longer be opened'], // CANTOPEN: out of file descriptors, for example
  [15, 'Other processes kept taking the lock of the database'], // PROTOCOL
  [NOTADB, MISREAD],
])

/** Converts an error of node:sqlite: a `StorageUnavailableError` if it is temporary, else the error itself. */
export function fromSqliteError(error: unknown): unknown {
  const reason = TEMPORARY.get(resultCode(error))
  return reason === undefined ? error : new StorageUnavailableError(reason, { cause: error })
}

/** Whether the cause is the whole file or the machine, and not one write or the pages that it needs. */
export function failsEveryWrite(error: unknown): boolean {
  return fromSqliteError(error) instanceof StorageUnavailableError && !isMisread(error)
}

export const isBusy = hasCode(BUSY)
export const isNotADatabase = hasCode(NOTADB)
/** Whether SQLite read invalid data: the file is damaged, or one read went wrong. */
export const isMisread = hasCode(CORRUPT, NOTADB)

function hasCode(...codes: number[]): (error: unknown) => boolean {
  return (error) => codes.includes(resultCode(error))
}

/** Returns the primary result code, the lowest byte of the extended one that node:sqlite reports, or 0. */
function resultCode(error: unknown): number {
  const { errcode = 0 } = Object(error) as { errcode?: number }
  return errcode & 0xff
}
