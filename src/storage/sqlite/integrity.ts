import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isMisread } from './errors.ts'
import { withDatabase } from './node-sqlite.ts'
import { BLOCKING_MS, inTransaction, pragma } from './pragma.ts'
import { hasEveryNewPage } from './wal-frames.ts'

const FULLY_READ_BYTES = 8 * 1024 * 1024

/**
 * Whether the file and its -wal make a sound database. The header doesn't reveal a -wal file of another
 * database, or of the same one at another time. So this checks the content of both together. The check is
 * needed only after an unclean end, or while another process has the file open.
 *
 * A small database is read in full. In a large one, which would take seconds, only the headers in the -wal are.
 */
export function passesIntegrityCheck(file: string, table: string | undefined): boolean {
  return withReader(file, (database) => {
    const check = () =>
      databaseSize(database) <= FULLY_READ_BYTES
        ? pragma(database, `quick_check(${scopeOfCheck(database, table)})`) === 'ok'
        : hasEveryNewPage(`${file}-wal`, statSync(file).size)
    try {
      // In a transaction, no other process can shorten the file or begin the -wal anew.
      return inTransaction(database, 'BEGIN', check)
    } catch (error) {
      if (isMisread(error)) return false
      throw error
    }
  })
}

function databaseSize(database: DatabaseSync): number {
  return Number(pragma(database, 'page_count')) * Number(pragma(database, 'page_size'))
}

/**
 * Returns the argument of quick_check. In an application's own file, whose other tables may need collations that only
 * its connections have, it names the plants' table, or the schema while that table is missing.
 */
function scopeOfCheck(database: DatabaseSync, table: string | undefined): string {
  if (table === undefined) return '1'
  const column = pragma(database, `table_info("${table}")`)
  return column === undefined ? 'sqlite_schema' : `"${table}"`
}

/** A read-only connection doesn't write the -wal file's content into the database when it is closed. */
export function withReader<T>(file: string, work: (database: DatabaseSync) => T): T {
  // Node 22 has no defensive mode, and its types don't know the option.
  const options = { readOnly: true, defensive: false, timeout: BLOCKING_MS }
  return withDatabase(file, options, work)
}
