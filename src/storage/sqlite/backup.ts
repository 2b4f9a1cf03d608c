import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { createFile, OWNER_ONLY } from './create-file.ts'
import { assertDirectory } from './inspect.ts'
import { nodeSqlite, withDatabase } from './node-sqlite.ts'
import { pragma } from './pragma.ts'
import { markAsBackup } from './schema.ts'

/** Copies the database to a new file with the rights of its own file. If it fails, no file is left. */
export async function backUp(database: DatabaseSync, file: string, path: string): Promise<void> {
  const partial = `${path}.partial`
  try {
    assertDirectory(path)
    if (existsSync(path)) throw new Error('the file exists. Name a new file')
    rmSync(partial, { force: true })
    createFile(partial, rightsOf(file))
    await copyDatabase(database, partial)
    withDatabase(partial, {}, (copy) => {
      // In WAL mode, reading the backup would create -wal and -shm files beside it.
      pragma(copy, 'journal_mode = DELETE')
      markAsBackup(copy)
    })
    renameSync(partial, path)
  } catch (cause) {
    rmSync(partial, { force: true })
    throw new Error(`Cannot back up to ${path}: ${(cause as Error).message}`, { cause })
  }
}

function rightsOf(file: string): number {
  const { mode = OWNER_ONLY } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return mode & 0o777
}

/**
 * Node waits where SQLite is busy in the middle of a copy. At its beginning, while a group of writes is
 * committed, Node rejects with errcode 0, "not an error".
 */
async function copyDatabase(database: DatabaseSync, path: string): Promise<void> {
  try {
    await nodeSqlite().backup(database, path)
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== 0) throw error
    await copyDatabase(database, path)
  }
}
