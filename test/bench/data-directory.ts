import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installed } from '../runtimes/program.ts'

const directories: string[] = []
process.on('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** Makes a directory on the project's disk, since a commit in a tmpfs costs nothing. It goes with this process. */
export function dataDirectory(): string {
  const directory = mkdtempSync(installed('.plant-store-bench-'))
  directories.push(directory)
  return directory
}

/** Returns the path of a new SQLite file. */
export const newFile = () => join(dataDirectory(), 'plants.db')
