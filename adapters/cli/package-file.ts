import { readFile } from 'node:fs/promises'

/** Reads a text file of this package, for example `llms.txt`. The path is that in the repository and in the tarball. */
export function readPackageFile(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.resolve('plant-store/package.json')), 'utf8')
}
