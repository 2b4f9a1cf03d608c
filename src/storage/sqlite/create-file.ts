import { closeSync, fchmodSync, openSync } from 'node:fs'

/** The rights of a new database. SQLite gives the files beside it, such as the -wal, the rights of the database. */
export const OWNER_ONLY = 0o600

/**
 * Creates an empty file with these rights, whatever the umask is. Throws an EEXIST error if the file exists, or a
 * symbolic link of that name, so that nobody can make it lead elsewhere.
 */
export function createFile(path: string, rights: number): void {
  const file = openSync(path, 'wx', rights)
  try {
    fchmodSync(file, rights)
  } catch {
    // FAT and network file systems may have no rights.
  } finally {
    closeSync(file)
  }
}
