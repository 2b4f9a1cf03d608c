import type { DatabaseSync } from 'node:sqlite'

/** The time that SQLite itself waits for a lock while a file is opened, in ms. The event loop is blocked meanwhile. */
export const BLOCKING_MS = 20

/** Runs a PRAGMA and returns the first value of its first row. */
export function pragma(database: DatabaseSync, text: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0]
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
