import type { DatabaseSync } from 'node:sqlite'

/** How long SQLite waits for a lock itself, in ms. The event loop is blocked meanwhile. */
export const BLOCKING_MS = 20

/** Runs a PRAGMA and returns the first value of its first row. */
export function pragma(database: DatabaseSync, text: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0]
}

/** Runs a statement without parameters. Not `exec`, whose errors have no result code in Deno. */
export function run(database: DatabaseSync, sql: string): void {
  database.prepare(sql).run()
}

/**
 * How often something is read again before the file counts as damaged. Reads that went wrong, on a failing
 * disk or a network file system, then read well; a damaged file fails again each time.
 */
export const MAX_REREADS = 3

/** Makes SQLite read from the file again what it has in memory. */
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
