// Writes the table of hosts into docs/reference/tested.md, from results.json: npm run hosts
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeBetween } from '../docs/guides/markers.ts'
import { resultsTable } from './results-tables.ts'

/** One line of the table of hosts. */
export interface Result {
  /** The name of the app or mount that passed, such as `Next.js (Edge)`. */
  readonly title: string
  readonly version: string
  /** The day when this version passed for the first time, as YYYY-MM-DD. */
  readonly date: string
}

const FILE = join(import.meta.dirname, 'results.json')

/**
 * Updates `results.json` and the tables: what has passed is kept with its version, what has failed is removed.
 * They change only when a version or a verdict does.
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
  await writeTables()
}

async function writeTables(): Promise<void> {
  const results = await readResults()
  writeBetween('docs/reference/tested.md', 'frameworks', resultsTable(results))
}

async function readResults(): Promise<Result[]> {
  return JSON.parse(await readFile(FILE, 'utf8'))
}

if (import.meta.main) await writeTables()
