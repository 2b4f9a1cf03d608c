import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isMisread } from './failure.ts'
import { withDatabase } from './node-sqlite.ts'
import { BLOCKING_MS, inTransaction, pragma } from './pragma.ts'
import { OWN_TABLE } from './statements.ts'
import { hasEveryNewPage } from './wal-frames.ts'

const FULLY_READ_BYTES = 8 * 1024 * 1024

/**
 * Whether the file and its -wal make a sound database. The header doesn't reveal a -wal file of another
 * database, or of the same one at another time. So this checks the content of both together. The check is
 * needed only after an unclean end, or while another process has the file open.
 *
 * A small database is read in full. In a large one, which would take seconds, only the schema and the path to the
 * first plant are.
 */
export function isSound(file: string, table: string | undefined): boolean {
  return withReader(file, (database) => {
    const check = () => {
      if (databaseSize(database) <= FULLY_READ_BYTES) {
        if (!isIntact(database, scopeOfCheck(database, table))) return false
      } else {
        if (!isIntact(database, 'sqlite_schema')) return false
        readFirstPlant(database, table)
      }
      return hasEveryNewPage(`${file}-wal`, statSync(file).size)
    }
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

function isIntact(database: DatabaseSync, scope: string): boolean {
  return pragma(database, `quick_check(${scope})`) === 'ok'
}

function readFirstPlant(database: DatabaseSync, table = OWN_TABLE): void {
  if (tableExists(database, table)) database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get()
}

/**
 * Returns the argument of quick_check. In an application's own file, which may have many tables, it names
 * the plants' table only, or the schema while that table is missing.
 */
function scopeOfCheck(database: DatabaseSync, table: string | undefined): string {
  if (table === undefined) return '1'
  return tableExists(database, table) ? `"${table}"` : 'sqlite_schema'
}

function tableExists(database: DatabaseSync, table: string): boolean {
  const find = database.prepare(
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)",
  )
  return find.get(table) !== undefined
}

/** A read-only connection doesn't write the -wal file's content into the database when it is closed. */
export function withReader<T>(file: string, work: (database: DatabaseSync) => T): T {
  // Node 22 has no defensive mode, and its types don't know the option.
  const options = { readOnly: true, defensive: false, timeout: BLOCKING_MS }
  return withDatabase(file, options, work)
}
