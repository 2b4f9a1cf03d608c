/**
 * Keeps plants in a SQLite file, with the `node:sqlite` that is built into Node, Bun and Deno.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { sqliteStorage } from 'plant-store/storage/sqlite'
 *
 * const store = createPlantStore(sqliteStorage('plants.db'), verify)
 * ```
 *
 * @module
 */

import {
  assertOptions,
  assertWholeNumber,
  kindOf,
  MAX_INT32,
  quotedOrKind,
} from '../lib/arguments.ts'
import type { AwaitUsing } from '../lib/promises.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import { firstIdOf } from './shared/arguments.ts'
import { backUp } from './sqlite/backup.ts'
import { dropCache, pragma } from './sqlite/connection.ts'
import { fromSqliteError, isMisread } from './sqlite/errors.ts'
import { absolutePath, openPlantFile } from './sqlite/file.ts'
import { createGroupCommit } from './sqlite/group-commit.ts'
import {
  fromSqliteRow,
  ignoredError,
  type SqliteRow,
  sqliteStatements,
} from './sqlite/statements.ts'
import { watchFile } from './sqlite/watch-file.ts'

/** The options of `sqliteStorage`. */
export interface SqliteStorageOptions {
  /**
   * The table that holds the plants. Set it to keep plants in your application's database: letters, digits and
   * underscores. Default: `plants`, in a file that is the plant store's alone.
   */
  table?: string | undefined
  /**
   * The durability of a create or delete that has returned. With `FULL` it survives a crash of the process and
   * of the machine. With `NORMAL`, which doesn't wait for the disk, it survives a crash of the process only.
   * Default: `FULL`.
   */
  synchronous?: 'FULL' | 'NORMAL' | undefined
  /**
   * The time to wait for a lock that another process holds on the file, in ms, from 0 to 2 147 483 647. Creates and
   * deletes wait without blocking the event loop. Opening the file blocks the event loop. Default: 5000.
   */
  lockTimeoutMs?: number | undefined
  /** Whether a missing file is an error. By default, it is created. */
  fileMustExist?: boolean | undefined
}

/** The storage that `sqliteStorage` returns. Lists are synchronous. */
export interface SqliteStorage extends PlantStorage, AwaitUsing {
  create(owner: string, plant: StoredPlant): Promise<boolean>
  list(owner: string, query: PageQuery): readonly StoredPlant[]
  delete(owner: string, id: bigint): Promise<boolean>
  /**
   * Copies the database to a new file, as it is at one moment, while creates and deletes go on. Bun and Deno
   * block the event loop during the copy. Don't copy the file by other means while it is in use: its latest
   * changes are in the -wal file.
   *
   * The backup gets the rights of the database file, and belongs to the user of this process. Until it is complete, it is
   * in a directory beside `path`, for example `plants.db.partial-7XcaLj`. A process that is killed leaves that directory.
   * Remove it.
   *
   * To restore a backup, stop every process that uses the database, remove its -wal and -shm files, and copy the
   * backup into its file. With `{ table }`, the backup holds the application's tables too.
   *
   * @param path the new file, relative to the working directory, in a directory that exists
   * @throws Error if the file exists or can't be written
   *
   * @example
   * ```ts
   * await storage.backup(`backups/plants-${new Date().toISOString().slice(0, 10)}.db`)
   * ```
   */
  backup(path: string): Promise<void>
  /** Waits for the calls in progress, then closes the file. Every other method throws from then on. */
  close(): Promise<void>
}

/** A row of the list statements. */
type PlantColumns = [id: SqliteRow['id'], name: SqliteRow['name'], tag: SqliteRow['tag']]

const KNOWN_OPTIONS = ['table', 'synchronous', 'lockTimeoutMs', 'fileMustExist']
const CLOSED = 'The storage is closed: close() was called before this call'

/**
 * Opens a SQLite file, or creates it for its owner only (0600), and keeps plants there. Creates and deletes that wait at
 * the same moment share one commit, and each returns once its commit is durable. Several processes on one machine may have
 * the file open (https://sqlite.org/wal.html). The file is switched to WAL mode.
 *
 * A full disk, an I/O error, damaged data, and a lock held for longer than `lockTimeoutMs` make a call throw a
 * `StorageUnavailableError`. So does a file that was truncated, and one that was removed or replaced, except that lists
 * still read its plants. The storage works again once the cause is gone.
 *
 * Never open the file in the same process with a package that brings its own copy of SQLite, for example better-sqlite3,
 * libsql or sqlite3: neither copy sees the other's locks, and commits are lost. On Linux, the storage throws then. Pass
 * the open handle to `d1Storage` instead.
 *
 * SQLite keeps the latest changes in a file beside the database, for example `plants.db-wal`. So move and mount
 * the directory of both, and don't open one file under two names (hard links).
 *
 * @param path the file, relative to the working directory, in a directory that exists; or `:memory:`
 * @throws TypeError for a `file:` URL. Error, and leaves the file as it is, if it belongs to another application or
 *   version, is not a database, doesn't fit the -wal file beside it, is open in another copy of SQLite, or can't be opened.
 *   StorageUnavailableError if it is locked. TypeError or RangeError if an argument is wrong
 *
 * @example
 * ```ts
 * const storage = sqliteStorage('plants.db')
 * await storage.create('alice', { id: 7n, name: 'Monstera', tag: 'indoor' }) // true
 * storage.list('alice', { limit: 10 }) // [{ id: 7n, name: 'Monstera', tag: 'indoor' }]
 * await storage.close()
 * ```
 *
 * @example
 * ```ts
 * // In a table of your application's own database:
 * const storage = sqliteStorage('app.db', { table: 'garden_plants' })
 * ```
 */
export function sqliteStorage(path: string, options: SqliteStorageOptions = {}): SqliteStorage {
  assertPath('sqliteStorage', path)
  assertOptions('sqliteStorage', options, KNOWN_OPTIONS)
  const { table, synchronous = 'FULL', lockTimeoutMs = 5000, fileMustExist = false } = options
  if (synchronous !== 'FULL' && synchronous !== 'NORMAL') {
    throw new TypeError(`synchronous must be 'FULL' or 'NORMAL'; got ${quotedOrKind(synchronous)}`)
  }
  assertWholeNumber('lockTimeoutMs', lockTimeoutMs, 0, MAX_INT32)
  if (typeof fileMustExist !== 'boolean') {
    throw new TypeError(`fileMustExist must be true or false; got ${quotedOrKind(fileMustExist)}`)
  }
  const statements = sqliteStatements(table)
  const file = absolutePath(path)
  const database = openPlantFile(file, { synchronous, lockTimeoutMs, table, fileMustExist })
  pragma(database, 'busy_timeout = 0') // Waiting for a lock in SQLite would block the event loop.
  const insert = database.prepare(statements.create)
  const remove = database.prepare(statements.delete)
  const find = database.prepare(statements.find)
  const list = database.prepare(statements.list)
  // With arrays for rows, a list of 10 takes 10.6 µs instead of 16 (20 000 lists in a loop).
  list.setReturnArrays(true)
  const inMemory = path === ':memory:'
  const assertInPlace = inMemory ? () => {} : watchFile(database, file)
  const { write, idle } = createGroupCommit(database, lockTimeoutMs, assertInPlace)
  let backups: Promise<unknown> | undefined
  let closing: Promise<void> | undefined

  function isInPlace(): boolean {
    try {
      assertInPlace()
      return !inMemory
    } catch {
      return false
    }
  }

  function change(
    operation: 'create' | 'delete',
    owner: string,
    id: bigint,
    run: () => { changes: number | bigint },
  ): Promise<boolean> {
    if (closing) return Promise.reject(new Error(CLOSED))
    return write(() => {
      if (run().changes === 1) return true
      if (Boolean(find.get(owner, id)) === (operation === 'create')) return false
      throw ignoredError(operation)
    })
  }

  function close(): Promise<void> {
    closing ??= Promise.all([idle(), backups]).then(() => database.close())
    return closing
  }

  return {
    create(owner, { id, name, tag }) {
      return change('create', owner, id, () => insert.run(owner, id, name, tag ?? null))
    },
    list(owner, query) {
      if (closing) throw new Error(CLOSED)
      const first = firstIdOf(query)
      if (first === undefined) return []
      try {
        const rows = list.all(owner, first, query.limit) as unknown as PlantColumns[]
        return rows.map(([id, name, tag]) => fromSqliteRow({ id, name, tag }))
      } catch (error) {
        if (isMisread(error)) dropCache(database)
        throw fromSqliteError(error)
      }
    },
    delete(owner, id) {
      return change('delete', owner, id, () => remove.run(owner, id))
    },
    async backup(target) {
      if (closing) throw new Error(CLOSED)
      assertPath('backup', target)
      const backup = backUp(database, isInPlace() ? file : undefined, absolutePath(target))
      backups = Promise.allSettled([backups, backup])
      await backup
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function assertPath(caller: string, path: unknown): void {
  if (typeof path !== 'string' || path === '') {
    throw new TypeError(
      `${caller} needs the path of a file, such as 'plants.db'; got ${kindOf(path)}`,
    )
  }
  // As a path, it would be another file than the one that SQLite or another driver opens by this URL.
  if (/^file:/i.test(path)) {
    throw new TypeError(
      `${caller} needs a path; got the URL '${path}'. Write './${path}' for a file of that name`,
    )
  }
}
