import process from 'node:process'
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite'

/**
 * Returns the `node:sqlite` module of Node, Bun or Deno. It isn't imported, since an import would fail with
 * a message that doesn't say what to do where the module is missing.
 *
 * @throws Error if the module is missing, or lacks what newer versions of it have
 */
export function nodeSqlite(): typeof import('node:sqlite') {
  const sqlite = process.getBuiltinModule?.('node:sqlite')
  const isCurrent =
    sqlite && 'backup' in sqlite && 'setReturnArrays' in sqlite.StatementSync.prototype
  if (isCurrent) return sqlite
  throw new Error(
    `sqliteStorage needs the module node:sqlite of Node 22.18 or later, or a current Bun or Deno; got Node ${process.version}`,
  )
}

/** Opens a database for the work, and closes it. */
export function withDatabase<T>(
  file: string,
  options: DatabaseSyncOptions,
  work: (database: DatabaseSync) => T,
): T {
  const { DatabaseSync } = nodeSqlite()
  const database = new DatabaseSync(file, options)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
