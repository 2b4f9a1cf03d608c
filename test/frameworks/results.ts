import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One entry of `results.json`. */
export interface Result {
  /** The name of the app or mount that passed, such as `Next.js (Edge)`. */
  readonly title: string
  readonly version: string
  /** The day when this version passed for the first time, as YYYY-MM-DD. */
  readonly date: string
}

const FILE = join(import.meta.dirname, 'results.json')

/**
 * Updates `results.json`: what has passed is kept with its version, what has failed is removed.
 * It changes only when a version or a verdict does.
 *
 * @param versions by title, the version that has passed; undefined for what has failed
 */
export async function saveResults(versions: ReadonlyMap<string, string | undefined>) {
  const results = new Map((await readResults()).map((result) => [result.title, result]))
  const date = new Date().toISOString().slice(0, 10)
  for (const [title, version] of versions) {
    if (version === undefined) results.delete(title)
    else if (results.get(title)?.version !== version) results.set(title, { title, version, date })
  }
  const sorted = [...results.values()].sort((a, b) => a.title.localeCompare(b.title, 'en'))
  await writeFile(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}

async function readResults(): Promise<Result[]> {
  return JSON.parse(await readFile(FILE, 'utf8'))
}
