import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inspect } from 'node:util'
import express from 'express'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { serve } from '../../../adapters/node.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { introspectionVerifier } from '../../../src/auth/introspection.ts'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore, errors } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { type Results, toSummary, toTables } from '../../bench/report.ts'
import results from '../../bench/results.json' with { type: 'json' }
import hosts from '../../frameworks/results.json' with { type: 'json' }
import { hostsTable, resultsTable } from '../../frameworks/results-tables.ts'
import { listening } from '../../shared/listening.ts'
import { ROOT, readGuide } from './guides.ts'
import { readBetween } from './markers.ts'

const require = createRequire(import.meta.url)
const store = createPlantStore(memoryStorage(), () => null)
const unknown = { nonsense: true } as never

/** Each table of options: its guide, the heading in front of it, and a call that has these options. */
const tables: [guide: string, heading: string, call: () => unknown][] = [
  ['README.md', '## Reference', () => createPlantStore(memoryStorage(), () => null, unknown)],
  ['src/README.md', '## Options', () => createPlantStore(memoryStorage(), () => null, unknown)],
  ['adapters/README.md', '## Node', () => serve(store, unknown)],
  ['src/storage/README.md', '## SQLite', () => sqliteStorage(':memory:', unknown)],
  ['src/storage/README.md', '## PostgreSQL', () => postgresStorage({ query: noQuery }, unknown)],
  [
    'src/storage/README.md',
    '## MySQL and MariaDB',
    () => mysqlStorage({ execute: async () => [[]] }, unknown),
  ],
  ['src/auth/README.md', '## JWT', () => jwtVerifier(unknown)],
  ['src/auth/README.md', '## Opaque tokens', () => introspectionVerifier(unknown)],
]

/** Mistakes, and the messages of Troubleshooting that they cause. */
const mistakes: [message: string, mistake: () => unknown][] = [
  ['argument handler must be a function', () => express().use('/api', store as never)],
  ['requires a middleware function', () => express().use(store as never)],
  ['Plugin must be a function', () => Fastify().register(store as never)],
  ['EADDRINUSE', serveOnUsedPort],
  ['Token 1 of 1 is empty', () => staticTokens({ '': 'alice' })],
  ['Token 1 of 1 is "undefined"', () => staticTokens({ [process.env.UNSET_TOKEN!]: 'alice' })],
  [
    'basePath must be a path such as',
    () => createPlantStore(memoryStorage(), () => null, { basePath: 'api' }),
  ],
  ['ERR_PACKAGE_PATH_NOT_EXPORTED', () => require.resolve('plant-store/serve')],
  ['does not provide an export named', () => runModule("import { serve } from 'plant-store'")],
]

async function serveOnUsedPort(): Promise<void> {
  const { url } = await listening(express())
  await serve(store, { port: Number(new URL(url).port), signals: false })
}

function runModule(code: string): void {
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    stdio: 'pipe',
  })
}

function troubleshootingMessages(): string[] {
  const guide = readGuide('adapters/TROUBLESHOOTING.md')
  const [, rows] = /^\| Message .*\n\|[-|]+\|\n((?:\|.*\n)+)/m.exec(guide)!
  const cells = [...rows!.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell!)
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message!))
}

function sourcesOf(folder: string): string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT })
  return files.map((file) => readFileSync(join(ROOT, file), 'utf8'))
}

async function noQuery() {
  return { rows: [] }
}

/** The names in the first column of the first table of options after the heading. */
function documentedOptions(guide: string, heading: string): string[] {
  const section = readGuide(guide).split(`\n${heading}\n`)[1]!
  const [, rows] = /^\| option.*\n\|[-|]+\|\n((?:\|.*\n)+)/im.exec(section)!
  return rows!
    .trim()
    .split('\n')
    .flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!))
}

async function optionsOf(call: () => unknown): Promise<string[]> {
  const { message } = await Promise.resolve()
    .then(call)
    .then(
      () => ({ message: '' }),
      (error: Error) => error,
    )
  return /the options are (.+)$/.exec(message)![1]!.split(', ')
}

describe('The tables of the guides', () => {
  it.each(tables)('have every option, and no other: %s, %s', async (guide, heading, call) => {
    const documented = documentedOptions(guide, heading)
    expect(documented.sort()).toEqual((await optionsOf(call)).sort())
  })

  it('have the catalogue of errors as it is', () => {
    const rows = readGuide('src/README.md').matchAll(/^\| (\d{5}) \| (\d{3}) \| (\w+) \|/gm)
    const documented = [...rows].map(([, error, status, name]) => [
      name,
      { error: Number(error), status: Number(status) },
    ])
    expect(documented).toEqual(
      Object.entries(errors).map(([name, { error, status }]) => [name, { error, status }]),
    )
  })

  it('have messages that the code has', () => {
    const code = ['src', 'adapters'].flatMap(sourcesOf).join('\n')
    const caused = mistakes.map(([message]) => message)
    const ours = troubleshootingMessages().filter(
      (message) =>
        !caused.includes(message) &&
        !/^(?:Cross-site|Cannot (?:find package|GET|use import)|The requested module|EACCES|ERR_REQUIRE|Must use import|createServer)/.test(
          message,
        ),
    )
    expect(ours.length).toBeGreaterThan(5)
    expect(ours.filter((message) => !code.includes(message))).toEqual([])
  })

  it.each(mistakes)('have the message that a mistake causes: %s', async (message, mistake) => {
    expect(troubleshootingMessages()).toContain(message)
    const error = await Promise.resolve()
      .then(mistake)
      .catch((error: unknown) => error)
    expect(inspect(error)).toContain(message)
  })

  it('have the figures of the last benchmark', () => {
    expect(readBetween('test/bench/README.md', 'bench')).toBe(`${toTables(results as Results)}\n`)
    expect(readBetween('README.md', 'speed')).toBe(`${toSummary(results as Results)}\n`)
  })
})

describe('The tables of hosts', () => {
  it('have the versions that passed: npm run hosts writes them', () => {
    expect(readBetween('README.md', 'hosts')).toBe(`${hostsTable(hosts)}\n`)
    expect(readBetween('adapters/TESTED.md', 'frameworks')).toBe(`${resultsTable(hosts)}\n`)
  })

  it('show nothing that was not run', () => {
    const failed = hosts.filter(({ title }) => title !== 'Koa')
    expect(() => hostsTable(failed)).toThrow('README shows Koa, which has not passed')
  })
})

describe('README', () => {
  it('names the oldest Node that the package runs on', () => {
    const oldest = manifest.engines.node.replace('>=', '')
    expect(readGuide('README.md')).toContain(`It needs Node ${oldest} or newer`)
  })

  it('has at most 200 lines', () => {
    expect(readGuide('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(200)
  })
})
