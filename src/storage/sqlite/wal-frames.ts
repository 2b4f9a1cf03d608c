import { closeSync, openSync, readSync } from 'node:fs'

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** SQLite never uses the page that holds this byte: it is the place of locks. */
const LOCK_BYTE = 0x40000000

/**
 * Whether a -wal file has each page by which the database has grown beyond its file. A checkpoint makes the file
 * as long as the database before the -wal begins anew, so a page that both lack shows that one of them is older
 * than the other. Only the headers of the frames are read.
 */
export function hasEveryNewPage(wal: string, databaseBytes: number): boolean {
  // SQLite has no locks on the -wal, so closing it releases none.
  const file = openSync(wal, 'r')
  try {
    const header = readAt(file, 0, HEADER_BYTES)
    const pageSize = header.getUint32(8)
    const pages = new Set<number>()
    let lastPage = 0
    for (let at = HEADER_BYTES; pageSize > 0; at += FRAME_HEADER_BYTES + pageSize) {
      const frame = readAt(file, at, FRAME_HEADER_BYTES)
      // A frame of an earlier round has other salts, and the end of the file has zeros.
      if (frame.getBigUint64(8) !== header.getBigUint64(16)) break
      pages.add(frame.getUint32(0))
      // In the last frame of a commit: the number of pages that the database has then.
      lastPage = frame.getUint32(4) || lastPage
    }
    for (let page = Math.floor(databaseBytes / pageSize) + 1; page <= lastPage; page++) {
      if (!pages.has(page) && page !== LOCK_BYTE / pageSize + 1) return false
    }
    return true
  } finally {
    closeSync(file)
  }
}

/** Reads bytes; zeros after the end of the file. */
function readAt(file: number, position: number, length: number): DataView {
  const bytes = new Uint8Array(length)
  readSync(file, bytes, 0, length, position)
  return new DataView(bytes.buffer)
}
