import { DatabaseSync } from 'node:sqlite'

/** Returns what SQLite finds wrong with the file, or "ok". */
export const integrityOf = (file: string) => valueIn(file, 'PRAGMA integrity_check')

/** Counts the plants of all owners. */
export const countPlants = (file: string) => valueIn(file, 'SELECT count(*) FROM plants')

function valueIn(file: string, sql: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return Object.values(database.prepare(sql).get()!)[0]
  } finally {
    database.close()
  }
}
