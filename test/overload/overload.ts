// Overloads servers with and without the protection: node test/overload/overload.ts [--write] [STORAGE]
import { parseArgs } from 'node:util'
import { behindLink, startMariadb, startPostgres } from '../bench/databases.ts'
import { startScript } from '../bench/processes.ts'
import { node } from '../bench/servers.ts'
import { writeBetween } from '../docs/guides/markers.ts'
import { ask } from '../shared/processes.ts'
import { NO_MARIADB } from '../src/storage/mariadb-server.ts'

/** More than that, and the load process is late. */
const MAX_PER_SECOND = 3000
/** Between the server and PostgreSQL, in ms. */
const LATENCY_MS = 50
/** In multiples of the capacity. */
const OFFERS = [2, 10, 0.5]
const SECONDS = 10

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' } },
  allowPositionals: true,
})
const isChosen = (storage: string) => storage.toLowerCase().startsWith(positionals[0] ?? '')
const table: Awaited<ReturnType<typeof compare>> = []
for (const [pool, ms] of [
  [1, 500],
  [1, 5],
  [10, 50],
  [100, 500],
  [100, 50],
]) {
  const storage = `${pool} at once, ${ms} ms each`
  if (isChosen(storage)) table.push(...(await compare(storage, `slow:${pool}:${ms}`)))
}
for (const [storage, scheme, start] of [
  ['PostgreSQL', 'postgres', startPostgres],
  ['MariaDB', 'mysql', startMariadb],
] as const) {
  if (!isChosen(storage) || (storage === 'MariaDB' && NO_MARIADB)) continue
  await using server = await start()
  const url = await behindLink(await server.createDatabase('overload'), LATENCY_MS)
  table.push(...(await compare(storage, `${scheme}:${url}`)))
}
if (NO_MARIADB) console.error(NO_MARIADB)
console.table(table)
const [twice, tenfold] = table.filter(({ storage }) => storage === 'PostgreSQL')
if (values.write && twice && tenfold) {
  const sentence = `With a pool of 10, PostgreSQL ${LATENCY_MS} ms away takes ${twice.capacity} creates a second. Of ${twice.offered} sent in a second, ${twice.answeredInTime} are answered within 1 s (${twice.withoutProtection} without the protection); of ${tenfold.offered}, ${tenfold.answeredInTime} (${tenfold.withoutProtection}). \`npm run overload\` measures it.`
  writeBetween('docs/tasks/overload.md', 'overload', sentence)
}
process.exit()

/** Measures what a storage does under each of the offers: all in creates a second. */
async function compare(storage: string, where: string) {
  const capacity = Math.round(await run<number>(where, 'protected', { what: 'capacity' }))
  const offers = OFFERS.map((factor) => Math.min(Math.round(capacity * factor), MAX_PER_SECOND))
  const perSecond = offers.flatMap((offer) => Array<number>(SECONDS).fill(offer))
  const answered = async (protection: string) => {
    const seconds = await run<{ good: number }[]>(where, protection, { what: 'offer', perSecond })
    console.log(storage, protection)
    console.table(seconds)
    return offers.map((_, i) => {
      const ofOffer = seconds.slice(i * SECONDS, (i + 1) * SECONDS)
      return Math.round(ofOffer.reduce((sum, { good }) => sum + good, 0) / SECONDS)
    })
  }
  const [good, goodWithout] = [await answered('protected'), await answered('unprotected')]
  return offers.map((offered, i) => {
    const [answeredInTime, withoutProtection] = [good[i]!, goodWithout[i]!]
    return { storage, capacity, offered, answeredInTime, withoutProtection }
  })
}

/** Starts a server on a storage, and a process that loads it as it is asked to. */
async function run<Answer>(where: string, protection: string, load: object): Promise<Answer> {
  await using server = await node('plant-store', 'plant-store#serve', where, protection).start()
  using loader = startScript('load', '../overload/load-process.ts')
  return await ask<Answer>(loader, { ...load, port: server.port })
}
