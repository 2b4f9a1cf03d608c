import process from 'node:process'
import type { DatabaseSync } from 'node:sqlite'

/** The time that SQLite itself waits for a lock while a file is opened, in ms. The event loop is blocked meanwhile. */
export const BLOCKING_MS = 20

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
  { readOnly }: { readOnly: boolean },
  work: (database: DatabaseSync) => T,
): T {
  const { DatabaseSync } = nodeSqlite()
  // Node 22 has no defensive mode, and its types don't know the option.
  const options = { readOnly, defensive: false, timeout: BLOCKING_MS }
  const database = new DatabaseSync(file, options)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** Runs a PRAGMA and returns the first value of its first row. */
export function pragma(database: DatabaseSync, text: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0]
}

/** The size that the database has with what is in its -wal, in bytes. */
export function databaseSize(database: DatabaseSync): number {
  return Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size'))
}

/** Runs a statement without parameters. Not `exec`, whose errors have no result code in Deno. */
export function run(database: DatabaseSync, sql: string): void {
  database.prepare(sql).run()
}

/** Empties SQLite's page cache, so that it reads the file again. */
export function dropCache(database: DatabaseSync): void {
  pragma(database, 'shrink_memory')
}

/** Runs the work in a transaction. If it throws, the transaction stays open: close the database. */
export function inTransaction<T>(database: DatabaseSync, begin: string, work: () => T): T {
  run(database, begin)
  const result = work()
  run(database, 'COMMIT')
  return result
}
