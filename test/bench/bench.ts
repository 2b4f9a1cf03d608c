import os from 'node:os'
import type { Figure } from './figures.ts'
import { pinned } from './processes.ts'
import { toTables, writeResults } from './report.ts'
import { connection } from './sections/connection.ts'
import { mysql, postgres } from './sections/databases.ts'
import { frameworks } from './sections/frameworks.ts'
import { growth } from './sections/growth.ts'
import { http } from './sections/http.ts'
import { jwt } from './sections/jwt.ts'
import { latency } from './sections/latency.ts'
import { lists } from './sections/lists.ts'
import { neighbours } from './sections/neighbours.ts'
import { runtimes } from './sections/runtimes.ts'
import { size } from './sections/size.ts'
import { sqlite } from './sections/sqlite.ts'
import { stream } from './sections/stream.ts'

// The benchmark. With --write, it keeps the figures in results.json beside this file, and shows them in the guides.
const USAGE = `npm run bench -- [section …]
npm run bench -- --write (all sections)
`
const sections = [
  ...[http, lists, latency, frameworks, jwt, runtimes, stream],
  ...[sqlite, growth, postgres, mysql, connection, neighbours, size],
]

const args = process.argv.slice(2)
const isWritten = args.includes('--write')
const names = args.filter((arg) => arg !== '--write')
const isWrong = names.some((name) => !sections.some((section) => section.name === name))
if (isWrong || (isWritten && names.length > 0)) {
  console.log(USAGE)
  for (const { name, about } of sections) console.log(`  ${name.padEnd(10)} ${about}`)
  process.exit(names.includes('--help') ? 0 : 1)
}

const figures: Figure[] = []
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
    process.exitCode = 1
  }
  console.error(`  ${((performance.now() - begin) / 1000).toFixed(0)} s`)
}

const machine = {
  cores: os.cpus().length,
  cpu: os.cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(os.totalmem() / 2 ** 30),
  system: `${os.type()} ${os.arch()}`,
  node: process.version,
  pinned,
}
const results = { date: new Date().toISOString().slice(0, 10), machine, figures }
console.log(toTables(results))
if (isWritten && !process.exitCode) writeResults(results)
process.exit()
