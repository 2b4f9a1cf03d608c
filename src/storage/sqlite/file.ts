import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { StorageUnavailableError } from '../../errors.ts'
import { BLOCKING_MS, nodeSqlite, pragma } from './connection.ts'
import { isBusy, isNotADatabase } from './errors.ts'
import { assertDirectory, inspectFile, notADatabaseError } from './inspect-file.ts'
import { assertChangeable, ensureSchema } from './schema.ts'
import { assertOneCopy } from './watch-file.ts'

const RETRY_MS = 10

/** The rights of a new database. SQLite gives the files beside it, such as the -wal, the rights of the database. */
const OWNER_ONLY = 0o600

/** After a VACUUM by another process, or a long read, the -wal file becomes as small as this again. */
const WAL_BYTES = 8 * 1024 * 1024

export interface FileSettings {
  readonly synchronous: 'FULL' | 'NORMAL'
  readonly lockTimeoutMs: number
  readonly table: string | undefined
  readonly fileMustExist: boolean
}

/**
 * Opens the file, or creates it.
 *
 * @param file an absolute path, or `:memory:`
 * @throws Error, and leaves the file as it is, if it is not a plant store's or can't be opened safely
 */
export function openPlantFile(file: string, settings: FileSettings): DatabaseSync {
  nodeSqlite() // Throws if the module is missing, before the file is inspected.
  try {
    return waitForLock(settings.lockTimeoutMs, () => {
      if (file === ':memory:') return open(file, settings)
      assertDirectory(file)
      const path = withoutSymbolicLinks(file)
      assertOneCopy(path)
      inspectFile(path, settings.table)
      ensureFile(path, settings.fileMustExist)
      return open(path, settings)
    })
  } catch (error) {
    throw withContext(error, file)
  }
}

/** SQLite's busy timeout isn't enough: if two processes change the journal mode, one fails immediately. */
function waitForLock<T>(lockTimeoutMs: number, work: () => T): T {
  const deadline = performance.now() + lockTimeoutMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS) // Sleeps.
    }
  }
}

/** Resolves symbolic links, since SQLite keeps the -wal file beside the file that a link leads to, even a missing one. */
function withoutSymbolicLinks(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    // ELOOP, for example.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const path = join(realpathSync(dirname(file)), basename(file))
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? withoutSymbolicLinks(resolve(dirname(path), readlinkSync(path))) : path
}

function ensureFile(path: string, fileMustExist: boolean): void {
  if (existsSync(path)) return
  if (fileMustExist) throw new Error('it does not exist')
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if (!existsSync(path)) throw error // Else another process has just created it.
  }
}

function open(file: string, { synchronous, table }: FileSettings): DatabaseSync {
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync(file)
  try {
    pragma(database, `busy_timeout = ${BLOCKING_MS}`)
    ensureSchema(database, table)
    assertChangeable(database, table)
    // After the schema, so that the schema is in the file itself and not only in the -wal file.
    const journal = pragma(database, 'journal_mode = WAL')
    if (journal !== 'wal' && file !== ':memory:') {
      throw new Error('its file system does not support shared memory, which SQLite needs')
    }
    // The first read in WAL mode takes a lock that lasts until the connection is closed. Without it, another
    // process that closes its connection thinks it is the last one, and removes the -wal file.
    pragma(database, 'schema_version')
    pragma(database, `synchronous = ${synchronous}`)
    pragma(database, `journal_size_limit = ${WAL_BYTES}`)
    // On macOS, fsync leaves the data in the drive's cache.
    if (synchronous === 'FULL') pragma(database, 'fullfsync = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Adds the path. A lock of another process may be released, so it becomes a StorageUnavailableError. */
function withContext(error: unknown, file: string): Error {
  const cause = isNotADatabase(error) ? notADatabaseError() : (error as Error)
  const message = `Cannot open ${file}: ${cause.message}`
  return new (isBusy(error) ? StorageUnavailableError : Error)(message, { cause })
}

/** Makes the path absolute, so that SQLite doesn't read it as a URI and a later chdir doesn't matter. */
export function absolutePath(path: string): string {
  return path === ':memory:' ? path : resolve(path)
}
