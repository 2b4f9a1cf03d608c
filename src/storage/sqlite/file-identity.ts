import { realpathSync, type Stats, statSync } from 'node:fs'
import { StorageUnavailableError } from '../../plant-storage.ts'

/** Not before each commit: after a stat, Linux 6.13 and newer gives the next write a new time, which fsync must journal. */
const WAL_CHECK_MS = 1000

/**
 * Returns a function that throws a StorageUnavailableError once the file or its -wal file was removed or
 * replaced. SQLite keeps using removed files, and their content is lost when they are closed. The -wal file is checked
 * once a second.
 */
export function watchFile(file: string): () => void {
  const opened = identify(file)
  const wal = `${realpathSync(file)}-wal`
  // SQLite creates it when the file is opened. The last connection removes it when it is closed.
  let openedWal = identify(wal)
  let checkedAt = Number.NEGATIVE_INFINITY

  return () => {
    assertSame(file, identify(file), opened)
    const now = performance.now()
    if (now - checkedAt < WAL_CHECK_MS) return
    const found = identify(wal)
    if (openedWal) assertSame(wal, found, openedWal)
    else openedWal = found
    checkedAt = now
  }
}

function assertSame(file: string, found: Stats | undefined, opened: Stats | undefined): void {
  if (isSame(found, opened)) return
  throw new StorageUnavailableError(
    `${file} was ${found ? 'replaced' : 'removed'} while it was open. Put it back, or save the plants with backup() and restart`,
  )
}

/** Whether both are the same file. Two that are missing are not. */
function isSame(found: Stats | undefined, other: Stats | undefined): boolean {
  return found !== undefined && found.ino === other?.ino && found.dev === other.dev
}

function identify(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined // It is gone, or a directory of its path is gone or no longer accessible.
  }
}
