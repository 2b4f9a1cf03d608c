import { DatabaseSync } from 'node:sqlite'
import { type SqliteStorageOptions, sqliteStorage } from '../../../src/storage/sqlite.ts'

/**
 * Opens a storage, and also returns its connection: to read its settings, and for `PRAGMA max_page_count`,
 * which simulates a full disk.
 */
export function openWithConnection(file: string, options?: SqliteStorageOptions) {
  const { prepare } = DatabaseSync.prototype
  const connections: DatabaseSync[] = []
  DatabaseSync.prototype.prepare = function (sql) {
    connections.push(this)
    return prepare.call(this, sql)
  }
  try {
    return { storage: sqliteStorage(file, options), connection: connections.at(-1)! }
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
}
