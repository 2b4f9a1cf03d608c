// Overloads servers with and without the protection: node test/overload/overload.ts [--write] [STORAGE]
import { startMariadb, startPostgres } from '../bench/databases.ts'
import { writeBetween } from '../docs/guides/markers.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { capacityOf, type OverloadResult, overload } from './run.ts'

/** More than that, and the load process is late. */
const MAX_PER_SECOND = 3000
/** Between the server and PostgreSQL, in ms. */
const LATENCY_MS = 50
/** In multiples of the capacity. */
const OFFERS = [2, 10, 0.5]
const SECONDS = 10

/** What a storage did under one of the offers: all in creates a second. */
interface Phase {
  storage: string
  capacity: number
  offered: number
  answeredInTime: number
  withoutProtection: number
}

const args = process.argv.slice(2)
const only = args.find((arg) => !arg.startsWith('--'))
const table: Phase[] = []
for (const [pool, ms] of [
  [1, 500],
  [1, 5],
  [10, 50],
  [100, 500],
  [100, 50],
] as const) {
  await compare(`${pool} at once, ${ms} ms each`, `slow:${pool}:${ms}`)
}
for (const [name, scheme, start] of [
  ['PostgreSQL', 'postgres', startPostgres],
  ['MariaDB', 'mysql', startMariadb],
] as const) {
  if (only && !name.toLowerCase().startsWith(only)) continue
  const server = await start(true)
  try {
    const url = new URL(await server.createDatabase('overload'))
    const proxy = await createFaultyProxy(Number(url.port), scheme, LATENCY_MS)
    url.port = String(proxy.address.port)
    await compare(name, `${scheme}:${url}`)
  } finally {
    await server.stop()
  }
}
console.table(table)
const [twice, tenfold] = table.filter(({ storage }) => storage === 'PostgreSQL')
if (args.includes('--write') && twice && tenfold) {
  writeBetween('docs/tasks/overload.md', 'overload', toSummary(twice, tenfold))
}
process.exit()

async function compare(storage: string, where: string): Promise<void> {
  if (only && !storage.toLowerCase().startsWith(only)) return
  const capacity = await capacityOf(where)
  const phases = OFFERS.map((factor) => {
    return { perSecond: Math.min(Math.round(capacity * factor), MAX_PER_SECOND), seconds: SECONDS }
  })
  const run = async (isProtected: boolean) => {
    const result = await overload(where, isProtected, phases)
    console.log(`\n${storage}, ${isProtected ? 'with protection' : 'without'}`)
    print(result)
    return phases.map((_, i) => goodOf(result, i * SECONDS, (i + 1) * SECONDS) / SECONDS)
  }
  const [good, goodWithout] = [await run(true), await run(false)]
  phases.forEach(({ perSecond: offered }, i) => {
    table.push({
      storage,
      capacity: Math.round(capacity),
      offered,
      answeredInTime: Math.round(good[i]!),
      withoutProtection: Math.round(goodWithout[i]!),
    })
  })
}

/** Returns the sentence of the guide, which is about PostgreSQL. */
function toSummary(twice: Phase, tenfold: Phase): string {
  return `With a pool of 10, PostgreSQL ${LATENCY_MS} ms away does ${twice.capacity} creates a second. Of ${twice.offered} and ${tenfold.offered} offered, ${twice.answeredInTime} and ${tenfold.answeredInTime} are answered within 1 s; without the protection, ${twice.withoutProtection} and ${tenfold.withoutProtection} (\`npm run overload\`).`
}

function print(result: OverloadResult): void {
  const { seconds, stored } = result
  console.table(seconds)
  const left = stored - goodOf(result)
  console.log(`Creates stored: ${stored}, of these for clients that had left: ${left}\n`)
}

/** How many were answered in time. */
function goodOf({ seconds }: OverloadResult, from?: number, to?: number): number {
  return seconds.slice(from, to).reduce((sum, { good }) => sum + good, 0)
}
