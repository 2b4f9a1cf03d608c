import type { Figure, Section } from './figures.ts'
import { machine } from './machine.ts'
import { built } from './own.ts'
import { toTable, writeResults } from './report.ts'
import { growth } from './sections/growth.ts'
import { create, list } from './sections/http.ts'
import { postgres } from './sections/postgres.ts'
import { processes } from './sections/processes.ts'
import { runtimes } from './sections/runtimes.ts'
import { size } from './sections/size.ts'
import { soak } from './sections/soak.ts'
import { sqlite } from './sections/sqlite.ts'
import { stream } from './sections/stream.ts'

/**
 * The benchmark: node test/bench/bench.ts [--json] [--write] [section …]
 *
 * --json   prints the figures as JSON on standard output, and nothing else there
 * --write  keeps them: results.json and results.svg beside this file, and the figures in the guides
 */
const sections: Section[] = [
  list,
  create,
  runtimes,
  stream,
  sqlite,
  growth,
  postgres,
  processes,
  size,
  soak,
]

const args = process.argv.slice(2)
const names = args.filter((arg) => !arg.startsWith('--'))
const json = args.includes('--json')

const unknown = names.filter((name) => !sections.some((section) => section.name === name))
if (unknown.length > 0 || args.includes('--help')) {
  console.log('npm run bench -- [--json] [--write] [section …]\n')
  for (const { name, about, onlyByName } of sections) {
    console.log(`  ${name.padEnd(10)} ${about}${onlyByName ? ' (only when asked for)' : ''}`)
  }
  process.exit(unknown.length > 0 ? 1 : 0)
}

const chosen = sections.filter(({ name, onlyByName }) =>
  names.length > 0 ? names.includes(name) : !onlyByName,
)
const figures: Figure[] = []
let failed = false
for (const { name, about, run } of chosen) {
  const begin = performance.now()
  console.error(`${name}: ${about}`)
  try {
    figures.push(...(await run((line) => console.error(`  ${line}`))))
  } catch (error) {
    // The other sections' figures are worth having.
    console.error(error)
    failed = true
  }
  console.error(`  ${((performance.now() - begin) / 1000).toFixed(0)} s`)
}

const results = { date: new Date().toISOString().slice(0, 10), machine: machine(), built, figures }
console.log(json ? JSON.stringify(results, null, 2) : toTable(results))
if (args.includes('--write') && !failed) writeResults(results)
process.exit(failed ? 1 : 0)
