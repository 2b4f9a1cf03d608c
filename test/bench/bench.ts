import os from 'node:os'
import { parseArgs } from 'node:util'
import { pinned } from './processes.ts'
import { type Figure, toTables, writeResults } from './report.ts'

// The benchmark. With --write, it keeps the figures in results.json beside this file, and shows them in the guides.

/** The files of sections/, in the order in which they run. */
const NAMES = [
  ...['http', 'lists', 'latency', 'frameworks', 'jwt', 'runtimes', 'stream', 'sqlite'],
  ...['growth', 'databases', 'connection', 'neighbours', 'size'],
]
const USAGE = `npm run bench -- [section …]
npm run bench -- --write (all sections)

Sections: ${NAMES.join(' ')}`

const sections = await Promise.all(
  NAMES.map(async (name) => ({ name, ...(await import(`./sections/${name}.ts`)) })),
)
const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
const isWrong = positionals.some((name) => !NAMES.includes(name))
if (values.help || isWrong || (values.write && positionals.length > 0)) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

const figures: Figure[] = []
for (const { name, run } of sections) {
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
