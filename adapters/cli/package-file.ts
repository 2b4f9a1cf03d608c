import { readFile } from 'node:fs/promises'

/** Reads a text file of this package, such as `llms.txt`. The path is that in the repository and in the tarball. */
export function readPackageFile(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.resolve('plant-store/package.json')), 'utf8')
}

/** The version of this package. */
export async function packageVersion(): Promise<string> {
  return JSON.parse(await readPackageFile('package.json')).version
}
