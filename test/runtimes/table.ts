// Runs the tests of this directory, and writes the table of what runs where into docs/reference/tested.md:
//
//   npm run runtimes
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBetween } from '../docs/guides/markers.ts'
import { installed, ROOT } from './program.ts'

/** Where the version of a host is found. */
const packages: Record<string, string> = {
  'Node 22': 'node22',
  'Node 24': 'node',
  'Node 26': 'node26',
  Bun: 'bun',
  Deno: 'deno',
  'Deno, node:http': 'deno',
  workerd: 'workerd',
  Elysia: 'elysia',
}

/** The suites, as their titles begin. */
const suites = ['The contract, in ', 'sqliteStorage, in ']

interface Result {
  ancestorTitles: string[]
  title: string
  status: string
}

const directory = mkdtempSync(join(tmpdir(), 'plant-store-table-'))
const report = join(directory, 'report.json')
const reporter = ['--reporter=json', `--outputFile=${report}`]
const vitest = [
  installed('vitest/vitest.mjs'),
  'run',
  '--mode=nightly',
  'test/runtimes',
  ...reporter,
]
spawnSync(process.execPath, vitest, { cwd: ROOT, stdio: 'ignore' })
const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
const results: Result[] = testResults.flatMap(
  ({ assertionResults }: { assertionResults: Result[] }) => assertionResults,
)
rmSync(directory, { recursive: true })

const ofSuite = (suite: string, host: string) =>
  results.filter(({ ancestorTitles }) => ancestorTitles.includes(suite + host))

const rows = Object.entries(packages).map(([host, name]) => {
  const cells = suites.map((suite) => {
    const run = ofSuite(suite, host)
    const passed = run.filter(({ status }) => status === 'passed').length
    if (run.length === 0) return ''
    if (passed < run.length) return `${passed} of ${run.length}`
    const limits = run.filter(({ title }) => title.includes('(known limit: ')).map(toLimit)
    return limits.length === 0 ? '✓' : `✓, but ${limits.join(', ')}`
  })
  const { version } = createRequire(import.meta.url)(`${name}/package.json`)
  return `| ${host} | ${version} | ${cells.join(' | ')} |`
})
/** The name of a rule, and the version of HTTP if it isn't 1.1. */
function toLimit({ title, ancestorTitles }: Result): string {
  const [rule] = title.split(' ')
  const version = ancestorTitles.at(-1)
  return version === 'HTTP/1.1' ? `\`${rule}\`` : `\`${rule}\` over ${version}`
}

const header = '| | version | `testPlantAdapter` | `testPlantStorage`, SQLite |'
const table = [header, '|---|---|---|---|', ...rows].join('\n')
writeBetween('docs/reference/tested.md', 'runtimes', table)
console.log(table)
