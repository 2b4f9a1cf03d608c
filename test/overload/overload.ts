// Overloads servers with and without the protection: node test/overload/overload.ts [--write] [STORAGE]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirectory } from '../bench/data-directory.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { type Comparison, plot } from './plot.ts'
import { capacityOf, type OverloadResult, overload } from './run.ts'

/** More than that, and the load process is late. */
const MAX_PER_SECOND = 3000
/** Between the server and PostgreSQL, in ms. */
const LATENCY_MS = 50

const args = process.argv.slice(2)
const only = args.find((arg) => !arg.startsWith('--'))
const postgres = await createPostgres({ fsync: 'on' })
const comparisons: Comparison[] = []
try {
  const proxy = await createFaultyProxy(postgres.connection.port, 'postgres', LATENCY_MS)
  const storages = {
    'slow storage (10 at once, 50 ms each)': () => 'slow',
    'PostgreSQL (a pool of 10, 50 ms away)': () =>
      `postgres:postgres://postgres@127.0.0.1:${proxy.address.port}/postgres`,
    SQLite: async () => `sqlite:${join(await dataDirectory(), 'plants.db')}`,
  }
  for (const [storage, where] of Object.entries(storages)) {
    if (only && !storage.toLowerCase().startsWith(only)) continue
    comparisons.push(await compare(storage, await where()))
  }
} finally {
  await postgres.remove()
}
if (args.includes('--write')) {
  writeFileSync(new URL('results.svg', import.meta.url), plot(comparisons))
}
process.exit()

async function compare(storage: string, where: string): Promise<Comparison> {
  const capacity = await capacityOf(where)
  console.log(`\n${storage}: ${Math.round(capacity)} creates a second`)
  const phases = [
    { factor: 2, seconds: 10 },
    { factor: 10, seconds: 10 },
    { factor: 0.5, seconds: 10 },
  ].map(({ factor, seconds }) => {
    return { perSecond: Math.min(Math.round(capacity * factor), MAX_PER_SECOND), seconds }
  })
  const run = async (isProtected: boolean) => {
    const result = await overload(where, isProtected, phases)
    console.log(isProtected ? '\nWith protection' : '\nWithout')
    print(result)
    return result
  }
  return { storage, capacity, phases, protected: await run(true), unprotected: await run(false) }
}

function print({ seconds, stored }: OverloadResult): void {
  console.table(
    seconds.map(({ memory, delay, ...counts }) => ({
      ...counts,
      'memory (MiB)': Math.round(memory ?? Number.NaN),
      'event loop blocked (ms)': Math.round(delay ?? Number.NaN),
    })),
  )
  const good = seconds.reduce((sum, { good }) => sum + good, 0)
  console.log(`Creates stored: ${stored}, of these for clients that had left: ${stored - good}`)
}
