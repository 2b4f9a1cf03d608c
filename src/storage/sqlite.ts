/**
 * Keeps plants in a SQLite file, by the `node:sqlite` that Node, Bun and Deno have built in.
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
import type { StoredPlant } from '../plant.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { toStorageError } from './sqlite/failure.ts'
import { openPlantFile } from './sqlite/file.ts'
import { createGroupCommit } from './sqlite/group-commit.ts'
import { type PlantRow, sqliteStatements, toStoredPlant } from './sqlite/statements.ts'

const statements = sqliteStatements('plants')

/** The options of `sqliteStorage`. */
export interface SqliteStorageOptions {
  /**
   * What an answered create or delete survives: with `FULL`, a crash of the process and of the
   * machine; with `NORMAL`, which doesn't wait for the disk, that of the process. Default: `FULL`.
   */
  synchronous?: 'FULL' | 'NORMAL'
  /**
   * How long to wait for a lock that another process holds on the file, in ms. Creates and deletes
   * wait without blocking the event loop; opening the file does block it. Default: 5000.
   */
  lockTimeoutMs?: number
}

/** What `sqliteStorage` makes: a `PlantStorage` whose lists are answered at once. */
export interface SqliteStorage extends PlantStorage {
  create(owner: string, plant: StoredPlant): Promise<boolean>
  list(owner: string, page: { after?: bigint; limit: number }): StoredPlant[]
  delete(owner: string, id: bigint): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens the SQLite file of a plant store, or makes one. Creates and deletes that wait at the same
 * moment share one commit; none is answered before its commit is durable. Several processes may have
 * the file open, on one machine (https://sqlite.org/wal.html).
 *
 * A full disk, an I/O error, and a lock held for longer than `lockTimeoutMs` are
 * `StorageUnavailableError`s, and once the cause is gone, the next call works. Every method throws
 * after `close()`, which first waits for the creates and deletes under way.
 *
 * @param path the file, relative to the working directory, in a directory that exists; or `:memory:`
 * @throws Error, and leaves the file as it is, when it is another application's, another version's or
 *   no database, or can't be opened; StorageUnavailableError when it is locked; TypeError or RangeError
 *   when an option is wrong
 *
 * @example
 * ```ts
 * const storage = sqliteStorage('plants.db')
 * await storage.create('alice', { id: 7n, name: 'Monstera', tag: 'indoor' }) // true
 * storage.list('alice', { limit: 10 }) // [{ id: 7n, name: 'Monstera', tag: 'indoor' }]
 * await storage.close()
 * ```
 */
export function sqliteStorage(
  path: string,
  { synchronous = 'FULL', lockTimeoutMs = 5000 }: SqliteStorageOptions = {},
): SqliteStorage {
  assertOptions(synchronous, lockTimeoutMs)
  const database = openPlantFile(path, { synchronous, lockTimeoutMs })
  const insert = database.prepare(statements.insert)
  const remove = database.prepare(statements.delete)
  const listFromStart = database.prepare(statements.listFromStart)
  const listAfter = database.prepare(statements.listAfter)
  const { write, idle } = createGroupCommit(database, lockTimeoutMs)
  let closing: Promise<void> | undefined

  function assertOpen(): void {
    if (closing) throw new Error('This storage is closed')
  }

  return {
    async create(owner, { id, name, tag }) {
      assertOpen()
      return write(() => insert.run(owner, id, name, tag ?? null).changes === 1)
    },
    list(owner, { after, limit }) {
      assertOpen()
      try {
        const rows =
          after === undefined ? listFromStart.all(owner, limit) : listAfter.all(owner, after, limit)
        return (rows as unknown as PlantRow[]).map(toStoredPlant)
      } catch (error) {
        throw toStorageError(error)
      }
    },
    async delete(owner, id) {
      assertOpen()
      return write(() => remove.run(owner, id).changes === 1)
    },
    close() {
      closing ??= idle().then(() => database.close())
      return closing
    },
  }
}

function assertOptions(synchronous: unknown, lockTimeoutMs: unknown): void {
  if (synchronous !== 'FULL' && synchronous !== 'NORMAL') {
    throw new TypeError(`synchronous must be 'FULL' or 'NORMAL', not ${synchronous}`)
  }
  if (typeof lockTimeoutMs !== 'number' || !(lockTimeoutMs >= 0)) {
    throw new RangeError(`lockTimeoutMs must be a number of 0 or more, not ${lockTimeoutMs}`)
  }
}
