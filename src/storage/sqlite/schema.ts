import type { DatabaseSync } from 'node:sqlite'
import { foreignTableError } from '../shared/table.ts'
import { inTransaction, pragma, run } from './connection.ts'
import { isBusy } from './errors.ts'
import { createTableStatement, OWN_TABLE, sqliteStatements } from './statements.ts'
import { type Column, DEFINITION, definitionOf } from './table.ts'

/** Marks the file, in its header, as a plant store's: "Plnt" in ASCII. */
const APPLICATION_ID = 0x506c6e74
const SCHEMA_VERSION = 1

/**
 * The version of a backup until a storage opens it. Opening a backup beside the -wal file of another database
 * would mix the two. Only this version distinguishes the backup from the file that the -wal belongs to.
 */
const BACKUP_VERSION = -SCHEMA_VERSION

type FileState = 'new' | 'backup' | 'ready'

/**
 * Creates the table, and the mark in the header, if they are missing.
 *
 * @param table the table in an application's own file; `undefined` if the file is the plant store's own
 */
export function ensureSchema(database: DatabaseSync, table?: string): void {
  const findState = () => stateOf(database, table)
  if (inTransaction(database, 'BEGIN', findState) === 'ready') return
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    findState() // Throws if another process has made another table meanwhile. If it is this table, nothing changes.
    run(database, createTableStatement(table))
    if (table !== undefined) return
    pragma(database, `application_id = ${APPLICATION_ID}`)
    pragma(database, `user_version = ${SCHEMA_VERSION}`)
  })
}

/**
 * Throws if a create or delete can't even begin, since SQLite compiles the key and the application's triggers with it.
 */
export function assertChangeable(database: DatabaseSync, table = OWN_TABLE): void {
  const statements = sqliteStatements(table)
  try {
    for (const operation of ['create', 'delete'] as const) database.prepare(statements[operation])
  } catch (cause) {
    if (isBusy(cause)) throw cause
    const { message } = cause as Error
    const advice = `Its key must compare owners by the collation BINARY, and its triggers, indexes and foreign keys can't use a function or collation that only your application's connections have`
    throw new Error(`its table ${table} can't be written: ${message}. ${advice}`, { cause })
  }
}

/** Marks a copy of a plant store's own file as a backup. */
export function markAsBackup(database: DatabaseSync): void {
  if (pragma(database, 'application_id') !== APPLICATION_ID) return
  pragma(database, `user_version = ${BACKUP_VERSION}`)
}

/**
 * Whether the file is a backup that no storage has opened; throws if the file is not a plant store's.
 *
 * @param hasWal whether a -wal file, which is not read here, may hold tables that a file without tables lacks
 */
export function isBackup(database: DatabaseSync, hasWal: boolean): boolean {
  const state = stateOf(database, undefined)
  if (state === 'new' && hasWal) throw foreignFileError()
  return state === 'backup'
}

function stateOf(database: DatabaseSync, table: string | undefined): FileState {
  if (table !== undefined) return hasTable(database, table) ? 'ready' : 'new'
  const mark = pragma(database, 'application_id')
  const version = pragma(database, 'user_version')
  if (mark === 0 && version === 0 && isEmpty(database)) return 'new'
  if (mark !== APPLICATION_ID) throw foreignFileError()
  if (version !== SCHEMA_VERSION && version !== BACKUP_VERSION) {
    throw new Error(
      `it was written by another version of plant-store: its schema is version ${version}, and this version reads ${SCHEMA_VERSION}`,
    )
  }
  if (!hasTable(database, OWN_TABLE)) return 'new'
  return version === BACKUP_VERSION ? 'backup' : 'ready'
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

/** Whether the table exists; throws if it is another application's. */
function hasTable(database: DatabaseSync, table: string): boolean {
  const columns = database.prepare(sqliteStatements(table).columns).all() as unknown as Column[]
  if (columns.length === 0) return false
  const found = definitionOf(columns)
  if (found !== DEFINITION) throw foreignTableError(`its table ${table}`, found, DEFINITION)
  return true
}

function foreignFileError(): Error {
  return new Error(
    `it is a database of another application. To add a table for plants to it, pass { table: '${OWN_TABLE}' }`,
  )
}
