import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { serve } from '../../../adapters/node.ts'
import { introspectionVerifier } from '../../../src/auth/introspection.ts'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import { createPlantStore, errors } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { type Results, toSummary, toTables } from '../../bench/report.ts'
import results from '../../bench/results.json' with { type: 'json' }
import { ROOT, readGuide } from './guides.ts'

const store = createPlantStore(memoryStorage(), () => null)
const unknown = { nonsense: true } as never

/** Each table of options: its guide, a call that has these options, and the files that have their defaults. */
const tables: [guide: string, call: () => unknown, sources: string][] = [
  [
    'docs/reference/options.md',
    () => createPlantStore(memoryStorage(), () => null, unknown),
    'src/options.ts',
  ],
  ['docs/hosts/node.md', () => serve(store, unknown), 'adapters/serve.ts'],
  ['docs/storages/sqlite.md', () => sqliteStorage(':memory:', unknown), 'src/storage/sqlite.ts'],
  [
    'docs/storages/postgresql.md',
    () => postgresStorage({ query: async () => ({ rows: [] }) }, unknown),
    'src/storage/postgres.ts',
  ],
  [
    'docs/storages/mysql.md',
    () => mysqlStorage({ execute: async () => [[]] }, unknown),
    'src/storage/mysql.ts',
  ],
  ['docs/sign-in/jwt.md', () => jwtVerifier(unknown), 'src/auth/{jwt,jwt/verify}.ts'],
  [
    'docs/sign-in/opaque-tokens.md',
    () => introspectionVerifier(unknown),
    'src/auth/introspection.ts',
  ],
]

/** How messages of other packages begin, and those of ours that are made of parts. */
const OTHERS =
  /^(?:Specified module format|Cross-site|Cannot (?:find package|GET|use import)|The requested module|E[A-Z]+|ERR_|Must use import|createServer|argument handler|requires a middleware|Plugin must be|does not provide|Token 1 of 1)/

/** What the first column of a table has as code. The table's head begins with this word. */
function firstColumn(guide: string, head: string): string[] {
  const table = new RegExp(`^\\| ${head}.*\\n\\|[-|]+\\|\\n((?:\\|.*\\n)+)`, 'im')
  const [, rows] = table.exec(readGuide(guide))!
  const cells = [...rows!.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell!)
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!))
}

async function optionsOf(call: () => unknown): Promise<string[]> {
  const { message } = (await (async () => call())().catch((error) => error)) as Error
  return /the options are (.+)$/.exec(message)![1]!.split(', ')
}

describe('The tables of the guides', () => {
  it.each(tables)('have every option, and no other: %s', async (guide, call) => {
    const documented = firstColumn(guide, 'option')
    expect(documented.sort()).toEqual((await optionsOf(call)).sort())
  })

  it.each(tables)('have the defaults of the code: %s', (guide, _, sources) => {
    const code = globSync(sources, { cwd: ROOT }).map(readGuide).join('\n')
    const rows = readGuide(guide).matchAll(/^\| `(\w+)` \| (\d.*?) \|/gm)
    for (const [, option, documented] of rows) {
      const [, value] = new RegExp(`\\b${option}(?: =| \\?\\?) (\\w+)`).exec(code) ?? []
      const [, constant = value] = new RegExp(`const ${value} = (\\w+)`).exec(code) ?? []
      expect([option, constant?.replaceAll('_', '')]).toEqual([
        option,
        documented!.replace(' ', ''),
      ])
    }
  })

  it('have the catalogue of errors as it is', () => {
    const rows = readGuide('docs/reference/errors.md').matchAll(
      /^\| (\d{5}) \| (\d{3}) \| (\w+) \|/gm,
    )
    expect([...rows].map(([, ...cells]) => cells)).toEqual(
      Object.entries(errors).map(([name, { error, status }]) => [`${error}`, `${status}`, name]),
    )
  })

  it('have messages that the code has', () => {
    const code = globSync('{src,adapters}/**/*.ts', { cwd: ROOT }).map(readGuide).join('\n')
    const messages = firstColumn('docs/reference/troubleshooting.md', 'Message')
    const ours = messages.filter((message) => !OTHERS.test(message))
    expect(ours.length).toBeGreaterThan(5)
    expect(ours.filter((message) => !code.includes(message))).toEqual([])
  })

  it('have the figures of the last benchmark', () => {
    const shown = `<!-- bench -->\n${toTables(results as Results)}\n<!-- /bench -->`
    expect(readGuide('test/bench/README.md')).toContain(shown)
    const summary = `<!-- speed -->\n${toSummary(results as Results)}\n<!-- /speed -->`
    expect(readGuide('README.md')).toContain(summary)
  })
})
