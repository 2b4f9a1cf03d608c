import { type SqliteStorage, sqliteStorage } from '../../src/storage/sqlite.ts'

/** Opens a SQLite file. Errors name the option of the command line instead of that of the function. */
export function openFile(file: string, table: string | undefined): SqliteStorage {
  try {
    return sqliteStorage(file, { ...(table !== undefined && { table }) })
  } catch (error) {
    const { message } = error as Error
    const advice = message
      .replace(/pass \{ table: '(\w+)' \}/, 'start with --table $1')
      .replace(/Pass \{ table \} with another name/, 'Start with another --table')
    throw new Error(advice, { cause: error })
  }
}
