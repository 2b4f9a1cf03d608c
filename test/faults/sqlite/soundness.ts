import { DatabaseSync } from 'node:sqlite'

/** What SQLite finds wrong with the file: "ok" if nothing. */
export function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.integrity_check
  } finally {
    database.close()
  }
}
