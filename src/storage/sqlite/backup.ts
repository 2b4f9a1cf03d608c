import { existsSync, linkSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { createFile, OWNER_ONLY } from './create-file.ts'
import { assertDirectory } from './inspect.ts'
import { nodeSqlite, withDatabase } from './node-sqlite.ts'
import { pragma } from './pragma.ts'
import { markAsBackup } from './schema.ts'

/** A copy in several steps begins anew each time another connection has written between two of them. */
const ONE_STEP = { rate: 2 ** 31 - 1 }

/** The database to back up. */
export interface BackupSource {
  readonly database: DatabaseSync
  /** An absolute path, or `:memory:`. */
  readonly file: string
  /** Throws if the file of the connection was removed or replaced. */
  readonly assertInPlace: () => void
}

/** Copies the database to a new file with the rights of its own file. If it fails, no file is left. */
export async function backUp(source: BackupSource, path: string): Promise<void> {
  try {
    assertDirectory(path)
    assertMissing(path)
    // Another backup to the same path may be in progress, and SQLite creates files beside the copy.
    const directory = mkdtempSync(`${path}.partial-`)
    try {
      const partial = join(directory, 'partial')
      await makeBackup(source, partial)
      giveName(partial, path)
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

async function makeBackup(source: BackupSource, path: string): Promise<void> {
  createFile(path, rightsOf(source.file))
  const reader = openReader(source)
  try {
    if (reader) await copyDatabase(reader, path, ONE_STEP)
    else await copyDatabase(source.database, path)
  } finally {
    reader?.close()
  }
  withDatabase(path, {}, (copy) => {
    // In WAL mode, reading the backup would create -wal and -shm files beside it.
    pragma(copy, 'journal_mode = DELETE')
    markAsBackup(copy)
  })
}

/** Unlike a rename, a link doesn't replace a file that has been created meanwhile. */
function giveName(partial: string, path: string): void {
  try {
    linkSync(partial, path)
  } catch {
    assertMissing(path)
    renameSync(partial, path) // FAT, for example, has no hard links.
  }
}

function rightsOf(file: string): number {
  const { mode = OWNER_ONLY } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return mode & 0o777
}

/**
 * Opens a connection for the copy, since calls that use the storage's own would wait for its end. Returns
 * undefined if only that one has the plants: of a database in memory, and of a file that is gone.
 */
function openReader({ file, assertInPlace }: BackupSource): DatabaseSync | undefined {
  if (file === ':memory:') return undefined
  try {
    assertInPlace()
  } catch {
    return undefined
  }
  const { DatabaseSync } = nodeSqlite()
  return new DatabaseSync(file, { readOnly: true })
}

/** While a group of writes is committed by the same connection, Node rejects with errcode 0, "not an error". */
async function copyDatabase(database: DatabaseSync, path: string, options = {}): Promise<void> {
  try {
    await nodeSqlite().backup(database, path, options)
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode !== 0) throw error
    await copyDatabase(database, path, options)
  }
}
