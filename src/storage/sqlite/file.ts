import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StorageUnavailableError } from '../../plant-storage.ts'
import { isBusy, isNoDatabase, isSqliteError } from './failure.ts'
import { sqliteStatements } from './statements.ts'

const statements = sqliteStatements('plants')

/** What says, in the file's header, that it is a plant store: "Plnt" in ASCII. */
const APPLICATION_ID = 0x506c6e74
const SCHEMA_VERSION = 1

const SMALLEST_PAGE = 512

/** How long SQLite itself waits for a lock, in ms, with the event loop standing still. */
const BLOCKING_MS = 20
const RETRY_MS = 10

interface Settings {
  synchronous: 'FULL' | 'NORMAL'
  lockTimeoutMs: number
}

/** Opens a plant store's file, or makes one; throws, and leaves the file as it is, if it is anything else. */
export function openPlantFile(path: string, settings: Settings): DatabaseSync {
  // Absolute, so that SQLite reads no URI into it, and no later chdir moves the -wal file.
  const file = path === ':memory:' ? path : resolve(path)
  try {
    if (file !== ':memory:') refuseUnusable(file)
    return openOnceUnlocked(file, settings)
  } catch (error) {
    throw explained(error, file)
  }
}

/** SQLite's own waiting isn't enough: two processes that change the journal mode fail at once. */
function openOnceUnlocked(file: string, settings: Settings): DatabaseSync {
  const deadline = performance.now() + settings.lockTimeoutMs
  for (;;) {
    try {
      return open(file, settings)
    } catch (error) {
      if (!isBusy(error) || !(performance.now() < deadline)) throw error
      sleep(RETRY_MS)
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/**
 * Looks without touching. Only SQLite may open the file for that: were it closed through node:fs,
 * POSIX would drop the locks that other connections of this process have on it.
 */
function refuseUnusable(file: string): void {
  const size = sizeOf(file)
  if (size === 0) return
  // SQLite would take it for an empty database.
  if (size < SMALLEST_PAGE) throw new Error(notADatabase(file))
  const database = openImmutable(file)
  if (!database) return
  try {
    // Else SQLite refuses a file shorter than it says, which it is when its process was killed amid a
    // checkpoint; the -wal file has the rest.
    pragma(database, 'writable_schema = ON')
    if (!isOurs(database, file)) throw new Error(foreign(file))
  } finally {
    database.close()
  }
}

function sizeOf(file: string): number {
  try {
    accessSync(dirname(file), constants.W_OK)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) return 0
    if (!stat.isFile()) throw new Error('it is not a file')
    accessSync(file, constants.W_OK)
    return stat.size
  } catch (error) {
    throw cannotOpen(file, error)
  }
}

/** https://sqlite.org/uri.html#uriimmutable: neither a lock, nor a -wal, nor a -shm file. */
function openImmutable(file: string): DatabaseSync | undefined {
  try {
    const options = { readOnly: true, defensive: false }
    return new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, options)
  } catch {
    // Node before 22.15 takes no URI: there, the file is only looked at once it is open.
    return undefined
  }
}

function open(file: string, { synchronous }: Settings): DatabaseSync {
  const database = new DatabaseSync(file)
  try {
    pragma(database, `busy_timeout = ${BLOCKING_MS}`)
    if (inTransaction(database, 'BEGIN', () => isNew(database, file))) createSchema(database, file)
    // After the schema, which thus is in the file itself and not in a -wal file only.
    const journal = pragma(database, 'journal_mode = WAL')
    if (journal !== 'wal' && file !== ':memory:') {
      throw new Error(
        `Cannot open ${file}: its file system cannot share memory, which SQLite needs`,
      )
    }
    pragma(database, `synchronous = ${synchronous}`)
    // On macOS, fsync leaves the data in the drive's cache.
    if (synchronous === 'FULL') pragma(database, 'fullfsync = ON')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Whether nothing is in the file yet; throws if what is in it is not for us. */
function isNew(database: DatabaseSync, file: string): boolean {
  if (isOurs(database, file)) return false
  const empty = database.prepare('SELECT count(*) = 0 AS empty FROM sqlite_schema').get()!.empty
  if (!empty) throw new Error(foreign(file))
  return true
}

/** Whether the file has our mark; throws if it is another version's, or lacks the table. */
function isOurs(database: DatabaseSync, file: string): boolean {
  if (pragma(database, 'application_id') !== APPLICATION_ID) return false
  const version = pragma(database, 'user_version')
  if (version !== SCHEMA_VERSION) {
    throw new Error(
      `${file} was written by another version of plant store: its schema is version ${version}, and this one knows ${SCHEMA_VERSION}`,
    )
  }
  // Not run: preparing it finds out whether the table and its columns are there.
  database.prepare(statements.insert)
  return true
}

function createSchema(database: DatabaseSync, file: string): void {
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    // Asked again, since another process may have been faster.
    if (!isNew(database, file)) return
    run(database, statements.createTable)
    pragma(database, `application_id = ${APPLICATION_ID}`)
    pragma(database, `user_version = ${SCHEMA_VERSION}`)
  })
}

/** So that all that is read is of one moment. What it throws closes the database, and thus rolls back. */
function inTransaction<T>(database: DatabaseSync, begin: string, work: () => T): T {
  run(database, begin)
  const result = work()
  run(database, 'COMMIT')
  return result
}

// Not exec, whose errors in Deno have no result code.
function run(database: DatabaseSync, sql: string): void {
  database.prepare(sql).run()
}

function pragma(database: DatabaseSync, text: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0]
}

function explained(error: unknown, file: string): unknown {
  if (isNoDatabase(error)) return new Error(notADatabase(file), { cause: error })
  return isSqliteError(error) ? cannotOpen(file, error) : error
}

const foreign = (file: string) => `${file} is a database of another application`
const notADatabase = (file: string) => `${file} is not a SQLite database`

/** For a lock that another process holds, it is a StorageUnavailableError: that may pass. */
function cannotOpen(file: string, cause: unknown): Error {
  const message = `Cannot open ${file}: ${(cause as Error).message}`
  return new (isBusy(cause) ? StorageUnavailableError : Error)(message, { cause })
}
