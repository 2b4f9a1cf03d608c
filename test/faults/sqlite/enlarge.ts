import { closeSync, openSync, truncateSync, writeSync } from 'node:fs'

/** Makes a closed database as large as that, with pages that nothing uses. They take no room on the disk. */
export function enlarge(file: string, bytes: number): void {
  const pages = new DataView(new ArrayBuffer(4))
  pages.setUint32(0, bytes / 4096)
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, pages, 0, 4, 28) // https://sqlite.org/fileformat2.html#the_database_header
  closeSync(descriptor)
  truncateSync(file, bytes)
}
