import os from 'node:os'
import { parseArgs } from 'node:util'
import type { Row } from './figures.ts'
import { pinned } from './processes.ts'
import { type Figure, toTables, writeResults } from './report.ts'
import { connection } from './sections/connection.ts'
import { jwt } from './sections/jwt.ts'
import { lists, stream } from './sections/lists.ts'
import { neighbours } from './sections/neighbours.ts'
import { frameworks, http, latency, runtimes } from './sections/servers.ts'
import { size } from './sections/size.ts'
import { databases, growth, slowStorage, sqlite } from './sections/storages.ts'

// The benchmark. With --write, it keeps the figures in results.json beside this file, and shows them in the guides.

/** In the order in which they run. */
const SECTIONS: Record<string, () => Promise<Row[]>> = {
  http,
  lists,
  latency,
  frameworks,
  jwt,
  runtimes,
  'slow-storage': slowStorage,
  stream,
  sqlite,
  growth,
  databases,
  connection,
  neighbours,
  size,
}
const USAGE = `npm run bench -- [section …]
npm run bench -- --write (all sections)
npm run bench -- --quick [section …] (only shows that they run)

Sections: ${Object.keys(SECTIONS).join(' ')}`

const { values, positionals } = parseArgs({
  options: {
    write: { type: 'boolean' },
    quick: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
})
const isWrong = positionals.some((name) => !SECTIONS[name])
const isPart = values.quick || positionals.length > 0
if (values.help || isWrong || (values.write && isPart)) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

const figures: Figure[] = []
for (const [name, run] of Object.entries(SECTIONS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const begin = performance.now()
  console.error(name)
  try {
    for (const row of await run()) figures.push({ section: name, ...row })
  } catch (error) {
    // Goes on, since the figures of the other sections are still useful.
    console.error(error)
    process.exitCode = 1
  }
  console.error(`  ${((performance.now() - begin) / 1000).toFixed(0)} s`)
}

const cpus = os.cpus()
const conditions = [
  new Date().toISOString().slice(0, 10),
  `${cpus.length} cores of ${cpus[0]?.model}`,
  `${Math.round(os.totalmem() / 2 ** 30)} GiB`,
  `${os.type()} ${os.arch()}`,
  `Node ${process.version}`,
  ...(pinned ? ['servers and load each on a core of their own'] : []),
].join(', ')
const results = { conditions, figures }
console.log(toTables(results))
if (values.write && !process.exitCode) writeResults(results)
process.exit()
