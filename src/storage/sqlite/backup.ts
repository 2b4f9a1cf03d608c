import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { MAX_INT32 } from '../../lib/arguments.ts'
import { nodeSqlite, pragma, withDatabase } from './connection.ts'
import { assertDirectory } from './inspect-file.ts'
import { markAsBackup } from './schema.ts'

/** A copy in several steps begins anew each time another connection has written between two of them. */
const ONE_STEP = { rate: MAX_INT32 }

/**
 * Copies the database to a new file with the rights of its file. If it fails, no file is left.
 *
 * @param file the path of the database; undefined if only its connection has the plants: in memory, or the file is lost
 */
export async function backUp(
  database: DatabaseSync,
  file: string | undefined,
  path: string,
): Promise<void> {
  try {
    assertDirectory(path)
    assertMissing(path)
    // For its owner only, and SQLite creates files beside the copy.
    const directory = mkdtempSync(`${path}.partial-`)
    try {
      const partial = join(directory, 'partial')
      if (file === undefined) database.prepare('VACUUM INTO ?').run(partial)
      else await copyFile(file, partial)
      withDatabase(partial, { readOnly: false }, (copy) => {
        // In WAL mode, reading the backup would create -wal and -shm files beside it.
        pragma(copy, 'journal_mode = DELETE')
        markAsBackup(copy)
      })
      if (file !== undefined) copyRights(file, partial)
      assertMissing(path)
      renameSync(partial, path)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  } catch (cause) {
    throw new Error(`Cannot back up to ${path}: ${(cause as Error).message}`, { cause })
  }
}

function assertMissing(path: string): void {
  if (existsSync(path)) throw new Error('the file exists. Name a new file')
}

/** On a connection for the copy, since calls that use the storage's own would wait for its end. */
async function copyFile(file: string, partial: string): Promise<void> {
  const { backup, DatabaseSync } = nodeSqlite()
  const reader = new DatabaseSync(file, { readOnly: true })
  try {
    await backup(reader, partial, ONE_STEP)
  } finally {
    reader.close()
  }
}

function copyRights(file: string, copy: string): void {
  try {
    chmodSync(copy, statSync(file).mode & 0o777)
  } catch {
    // FAT and network file systems may have no rights.
  }
}
