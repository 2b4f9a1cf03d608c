import { realpathSync, type Stats, statSync } from 'node:fs'
import { StorageUnavailableError } from '../../errors.ts'

/** Not before each commit: after a stat, Linux 6.13 and newer gives the next write a new time, which fsync journals. */
const WAL_CHECK_MS = 1000

/**
 * Returns a function that throws a StorageUnavailableError once the file or its -wal file was removed or
 * replaced. SQLite keeps using removed files, and their content is lost when they are closed. The -wal file is checked at
 * most once a second.
 */
export function watchFile(file: string): () => void {
  const opened = statSync(file)
  const wal = `${realpathSync(file)}-wal`
  // SQLite creates it when the file is opened. The last connection removes it when it is closed.
  const openedWal = identify(wal)
  let checkedWalAt = Number.NEGATIVE_INFINITY

  return () => {
    assertSame(file, identify(file), opened)
    const now = performance.now()
    if (now - checkedWalAt < WAL_CHECK_MS) return
    // Deno needs a permission to see it.
    if (openedWal) assertSame(wal, identify(wal), openedWal)
    checkedWalAt = now
  }
}

function assertSame(file: string, found: Stats | undefined, opened: Stats): void {
  if (found?.ino === opened.ino && found.dev === opened.dev) return
  throw new StorageUnavailableError(
    `${file} was ${found ? 'replaced' : 'removed'} while it was open. Put it back, or save the plants with backup() and restart`,
  )
}

function identify(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined // It is gone, or a directory of its path is gone or no longer accessible.
  }
}
