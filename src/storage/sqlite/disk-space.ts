import { realpathSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pragma } from './pragma.ts'

/** The most pages that a small write changes or adds: its leaf, the pages above it, their new neighbours. */
const PAGES_OF_WRITE = 6

/** The most that the -wal file needs: SQLite checkpoints it once it has 1000 pages, and a group adds to that. */
const WAL_PAGES = 2000

/** A write's size, for `hasRoom`. */
export interface WriteSize {
  /** The length of the text that a create adds. A delete adds none. */
  readonly characters: number
}

/**
 * Prevents a full disk on which not even deletes can commit. A commit takes room twice: in the -wal
 * file, and in the database once a checkpoint copies it there. If the disk is full before the checkpoint,
 * neither the checkpoint nor a delete has room. So a commit begins only if both copies fit. The room that
 * remains when creates no longer fit is enough for deletes.
 */
export function watchDiskSpace(database: DatabaseSync, file: string) {
  const directory = dirname(realpathSync(file))
  const pageSize = Number(pragma(database, 'page_size'))
  // A VACUUM by another process, or a long read, makes the -wal file larger. The first write after the next
  // checkpoint makes it small again.
  pragma(database, `journal_size_limit = ${WAL_PAGES * pageSize}`)

  function pagesOf({ characters }: WriteSize): number {
    return PAGES_OF_WRITE + Math.ceil((characters * 3) / pageSize) // UTF-8: at most 3 bytes each.
  }

  return {
    /** Whether the disk has room for the writes. It moves the -wal file's content to the database if needed. */
    hasRoom(writes: readonly WriteSize[]): boolean {
      let pages = 0
      for (const write of writes) pages += pagesOf(write)
      // Assumes the largest -wal: after a stat, Linux 6.13 and newer gives the next write a new time, which fsync
      // must journal.
      if (freeBytes(directory) >= (2 * pages + WAL_PAGES) * pageSize) return true
      truncateWal(database)
      const unused = Number(pragma(database, 'freelist_count'))
      return freeBytes(directory) >= (pages + Math.max(0, pages - unused)) * pageSize
    },
  }
}

/** Moves the content of the -wal file to the database, and gives the disk the -wal file's space back. */
export function truncateWal(database: DatabaseSync): void {
  try {
    pragma(database, 'wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk is too full for a checkpoint. The next write reports it.
  }
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY // Unknown: leave it to SQLite.
  }
}
