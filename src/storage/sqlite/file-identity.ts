import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageUnavailableError } from '../../plant-storage.ts'

/**
 * Two changes of a directory within one tick of its clock have the same time. A tick lasts 10 ms on Linux, and
 * a second on some file systems and in Deno, which rounds the times of files.
 */
const TICK_MS = 3000

/**
 * Returns a function that throws a StorageUnavailableError once the file or its -wal file was removed or
 * replaced. SQLite keeps using removed files, and their content is lost when they are closed.
 *
 * The -wal file is checked only if its directory has changed since the last check or in the last 3 seconds.
 * After a stat of a file, Linux 6.13 and newer gives its next write a new time, which fsync must journal. A
 * commit takes 280 µs then instead of 200 (500 creates, one by one, on ext4).
 *
 * A call costs two stats, and a third if the -wal file is checked. Each takes 1 µs in Node and Bun and 6 µs in
 * Deno (100 000 calls of `statSync` in a loop). With the statfs of disk-space.ts, a create that commits alone takes
 * 18 µs of CPU instead of 13 in Node 24, with `synchronous: 'NORMAL'`. Among 64 that share a commit, the difference
 * is below the noise.
 */
export function watchFile(file: string): () => void {
  const opened = identify(file)
  const path = realpathSync(file)
  const wal = `${path}-wal`
  const directory = dirname(path)
  // SQLite creates it when the file is opened. The last connection removes it when it is closed.
  let openedWal = identify(wal)
  let directoryAtRest: Stats | undefined

  return () => {
    assertSame(file, identify(file), opened)
    const found = identify(directory)
    if (isSame(found, directoryAtRest) && found?.ctimeMs === directoryAtRest?.ctimeMs) return
    const foundWal = identify(wal)
    if (openedWal) assertSame(wal, foundWal, openedWal)
    else openedWal = foundWal
    directoryAtRest = isAtRest(found) ? found : undefined
  }
}

/** Whether the next change will show in the directory's time. The root of a FAT file system has none: 0. */
function isAtRest(directory: Stats | undefined): boolean {
  if (directory === undefined || directory.ctimeMs === 0) return false
  return Date.now() - directory.ctimeMs > TICK_MS
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
