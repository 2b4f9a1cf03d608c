import { type Stats, statSync } from 'node:fs'
import { StorageUnavailableError } from '../../plant-storage.ts'

/**
 * Returns a function that throws a StorageUnavailableError once the path no longer leads to the file that is
 * there now. SQLite goes on with the removed file, whose content is lost when it is closed.
 *
 * A call costs one stat: 1 us in Node and Bun, 6 us in Deno (100 000 calls of `statSync` in a loop). With
 * the statfs of disk-space.ts, a create that commits alone takes 17 us of CPU instead of 13 in Node 24, with
 * `synchronous: 'NORMAL'`. Among 64 that share a commit, the difference is below the noise.
 */
export function watchFile(file: string): () => void {
  const opened = identify(file)
  return () => {
    const found = identify(file)
    if (found && found.ino === opened?.ino && found.dev === opened.dev) return
    throw new StorageUnavailableError(
      `${file} was ${found ? 'replaced' : 'removed'} while it was open. Put it back, or save the plants with backup() and restart`,
    )
  }
}

function identify(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined // A directory of the path is gone or closed to us.
  }
}
