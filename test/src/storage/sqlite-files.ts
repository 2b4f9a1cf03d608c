import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { type SqliteStorageOptions, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'

/** Returns the name of a file that doesn't exist, in a directory of its own. */
export const freshFile = (name = 'plants.db') => join(folderOfTest(), name)

/** Opens a storage, in a new file by default, and closes it when the test is finished. */
export function openStorage(file = freshFile(), options?: SqliteStorageOptions) {
  const storage = sqliteStorage(file, options)
  onTestFinished(() => storage.close())
  return storage
}

/** Opens a database as another program would, and closes it when the test is finished. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  return database
}

/** Runs SQL in a database, by default a new one, and returns its file. */
export function databaseFile(sql: string, file = freshFile()): string {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
  return file
}

/** Makes the file of a plant store, runs SQL in it, and returns it. */
export async function storeFile(sql = '', options?: SqliteStorageOptions): Promise<string> {
  const file = freshFile()
  await sqliteStorage(file, options).close()
  return databaseFile(sql, file)
}

/** Copies what is on disk while a database is open: what a killed process would leave. */
export function copyAsKilled(file: string): string {
  const copy = freshFile()
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  return copy
}

export const plantOf = (id: bigint) => ({ id, name: `Plant ${id}` })
