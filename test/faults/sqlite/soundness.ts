import { DatabaseSync } from 'node:sqlite'

/** Returns what SQLite finds wrong with the file, or "ok". */
export function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.integrity_check
  } finally {
    database.close()
  }
}
