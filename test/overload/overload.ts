// Overloads servers with and without the protection: node test/overload/overload.ts [--write] [STORAGE]
import { startMariadb, startPostgres } from '../bench/databases.ts'
import { startScript } from '../bench/processes.ts'
import { node } from '../bench/servers.ts'
import { writeBetween } from '../docs/guides/markers.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import { ask, stop } from '../shared/processes.ts'
import type { Second } from './load-process.ts'

/** More than that, and the load process is late. */
const MAX_PER_SECOND = 3000
/** Between the server and PostgreSQL, in ms. */
const LATENCY_MS = 50
/** In multiples of the capacity. */
const OFFERS = [2, 10, 0.5]
const SECONDS = 10

/** What a storage did under one of the offers: all in creates a second. */
interface Row {
  storage: string
  capacity: number
  offered: number
  answeredInTime: number
  withoutProtection: number
}

const args = process.argv.slice(2)
const only = args.find((arg) => !arg.startsWith('--'))
const isChosen = (storage: string) => !only || storage.toLowerCase().startsWith(only)
const table: Row[] = []
for (const [pool, ms] of [
  [1, 500],
  [1, 5],
  [10, 50],
  [100, 500],
  [100, 50],
]) {
  await compare(`${pool} at once, ${ms} ms each`, `slow:${pool}:${ms}`)
}
for (const [name, scheme, start] of [
  ['PostgreSQL', 'postgres', startPostgres],
  ['MariaDB', 'mysql', startMariadb],
] as const) {
  if (!isChosen(name)) continue
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
  const sentence = `With a pool of 10, PostgreSQL ${LATENCY_MS} ms away does ${twice.capacity} creates a second. Of ${twice.offered} and ${tenfold.offered} offered, ${twice.answeredInTime} and ${tenfold.answeredInTime} are answered within 1 s; without the protection, ${twice.withoutProtection} and ${tenfold.withoutProtection} (\`npm run overload\`).`
  writeBetween('docs/tasks/overload.md', 'overload', sentence)
}
process.exit()

async function compare(storage: string, where: string): Promise<void> {
  if (!isChosen(storage)) return
  const capacity = await run<number>(where, 'protected', { what: 'capacity' })
  const offers = OFFERS.map((factor) => Math.min(Math.round(capacity * factor), MAX_PER_SECOND))
  const phases = offers.map((perSecond) => ({ perSecond, seconds: SECONDS }))
  const answered = async (protection: string) => {
    const seconds = await run<Second[]>(where, protection, { what: 'offer', phases })
    console.log(storage, protection)
    console.table(seconds)
    return offers.map((_, i) => {
      const ofPhase = seconds.slice(i * SECONDS, (i + 1) * SECONDS)
      return Math.round(ofPhase.reduce((sum, { good }) => sum + good, 0) / SECONDS)
    })
  }
  const [good, goodWithout] = [await answered('protected'), await answered('unprotected')]
  for (const [i, offered] of offers.entries()) {
    table.push({
      ...{ storage, capacity: Math.round(capacity), offered },
      answeredInTime: good[i]!,
      withoutProtection: goodWithout[i]!,
    })
  }
}

/** Starts a server on a storage, and a process that loads it as it is asked to. */
async function run<Answer>(where: string, protection: string, load: object): Promise<Answer> {
  const server = await node('plant-store', 'plant-store#serve', where, protection).start()
  const loader = startScript('load', '../overload/load-process.ts')
  try {
    return await ask<Answer>(loader, { ...load, port: server.port })
  } finally {
    await Promise.all([server.stop(), stop(loader)])
  }
}
