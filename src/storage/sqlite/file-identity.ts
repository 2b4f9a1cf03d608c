import { realpathSync, type Stats, statSync } from 'node:fs'
import { StorageUnavailableError } from '../../plant-storage.ts'

/**
 * Returns a function that throws a StorageUnavailableError once the file or its -wal file was removed or
 * replaced. SQLite keeps using removed files, and their content is lost when they are closed.
 *
 * A call costs two stats, of 1 us each in Node and Bun and 6 us in Deno (100 000 calls of `statSync` in a
 * loop). With the statfs of disk-space.ts, a create that commits alone takes 18 us of CPU instead of 13 in
 * Node 24, with `synchronous: 'NORMAL'`. Among 64 that share a commit, the difference is below the noise.
 */
export function watchFile(file: string): () => void {
  const opened = identify(file)
  const wal = `${realpathSync(file)}-wal`
  // The first commit creates it. The last connection removes it when it is closed.
  let openedWal = identify(wal)

  return () => {
    assertSame(file, identify(file), opened)
    const foundWal = identify(wal)
    if (openedWal) assertSame(wal, foundWal, openedWal)
    else openedWal = foundWal
  }
}

function assertSame(file: string, found: Stats | undefined, opened: Stats | undefined): void {
  if (found && found.ino === opened?.ino && found.dev === opened.dev) return
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
