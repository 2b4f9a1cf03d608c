import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The version of the package that this file is in. */
export async function packageVersion(): Promise<string> {
  const manifest = fileURLToPath(import.meta.resolve('plant-store/package.json'))
  return JSON.parse(await readFile(manifest, 'utf8')).version
}
