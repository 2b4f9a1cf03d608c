import os from 'node:os'
import type { Figure, Section } from './figures.ts'
import { pinned } from './processes.ts'
import { toTable, writeResults } from './report.ts'
import { connection } from './sections/connection.ts'
import { frameworks } from './sections/frameworks.ts'
import { growth } from './sections/growth.ts'
import { http } from './sections/http.ts'
import { jwt } from './sections/jwt.ts'
import { latency } from './sections/latency.ts'
import { postgres } from './sections/postgres.ts'
import { runtimes } from './sections/runtimes.ts'
import { size } from './sections/size.ts'
import { sqlite } from './sections/sqlite.ts'
import { stream } from './sections/stream.ts'

/**
 * The benchmark: npm run bench -- [--json] [--write] [section …]
 *
 * --json   prints the figures as JSON on standard output, and nothing else there
 * --write  measures all sections, and keeps the figures: results.json and results.svg beside this file, and
 *          the tables in the guides
 */
const sections: Section[] = [
  http,
  latency,
  frameworks,
  jwt,
  runtimes,
  stream,
  sqlite,
  growth,
  postgres,
  connection,
  size,
]

const args = process.argv.slice(2)
const names = args.filter((arg) => !arg.startsWith('--'))
const unknown = names.filter((name) => !sections.some((section) => section.name === name))
const isWrong = unknown.length > 0 || (names.length > 0 && args.includes('--write'))
if (isWrong || args.includes('--help')) {
  console.log('npm run bench -- [--json] [section …]')
  console.log('npm run bench -- --write (all sections)\n')
  for (const { name, about } of sections) console.log(`  ${name.padEnd(10)} ${about}`)
  process.exit(isWrong ? 1 : 0)
}

const figures: Figure[] = []
let failed = false
for (const { name, about, run } of sections) {
  if (names.length > 0 && !names.includes(name)) continue
  const begin = performance.now()
  console.error(`${name}: ${about}`)
  try {
    const rows = await run((line) => console.error(`  ${line}`))
    figures.push(...rows.map((row) => ({ section: name, ...row })))
  } catch (error) {
    // Goes on, since the figures of the other sections are still useful.
    console.error(error)
    failed = true
  }
  console.error(`  ${((performance.now() - begin) / 1000).toFixed(0)} s`)
}

const cpus = os.cpus()
const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: {
    cores: cpus.length,
    cpu: cpus[0]?.model ?? 'unknown',
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.arch()}`,
    node: process.version,
    pinned,
  },
  figures,
}
console.log(args.includes('--json') ? JSON.stringify(results, null, 2) : toTable(results))
if (args.includes('--write') && !failed) writeResults(results)
process.exit(failed ? 1 : 0)
