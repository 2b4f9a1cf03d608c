import type { PlantStorage } from '../../../src/plant-storage.ts'
import { sqliteStorage } from '../../../src/storage/sqlite.ts'
import { enlarge } from '../../faults/sqlite/enlarge.ts'
import { ask } from '../../shared/processes.ts'
import { NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { CREATE, DELETE, duel, LIST, listOf } from '../compare.ts'
import { bareSqlite } from '../database-storages.ts'
import { createSqlite, plantsQuery, startMariadb, startPostgres } from '../databases.ts'
import { log, type Row, ratioInTurn, rowsOf, spread, timeOf } from '../figures.ts'
import { plant } from '../filled-storage.ts'
import { newFile, startScript } from '../processes.ts'
import { type Contestant, node, ownOn } from '../servers.ts'

/** The plant store on one storage or another. */

const DATABASES = [
  ['PostgreSQL', 'pg', 'postgres', startPostgres],
  ['MariaDB', 'mysql2', 'mysql', startMariadb],
] as const

/** The plant store on a database over HTTP, against a server of the bare driver with the same SQL. */
export async function databases(): Promise<Row[]> {
  if (NO_MARIADB) console.error(NO_MARIADB)
  const installed = DATABASES.filter(([name]) => name === 'PostgreSQL' || !NO_MARIADB)
  return rowsOf(installed, async ([name, driver, storage, start]) => {
    await using server = await start()
    // A database each, so that each has the same plants.
    const [own, bare] = [await server.createDatabase('own'), await server.createDatabase('bare')]
    return await duel({
      where: `on ${name} over HTTP`,
      own: ownOn(`${storage}:${own}`),
      other: node(`bare ${driver}`, 'floor', `bare-${storage}:${bare}`),
      works: [LIST, listOf(100, 500), CREATE],
      measures: { throughput: { atLeast: 0.9 }, cpu: { atMost: 1.2 } },
    })
  })
}

/** Lists and creates on a storage that answers later: the CPU of a request, and what of it lives on. */
export const slowStorage = async () => [
  ...(await rowsOf([1, 10], (ms) =>
    duel({
      where: `over HTTP, storage after ${ms} ms`,
      own: ownOn(`after:${ms}`),
      other: node('floor', 'floor', `after:${ms}`),
      works: [LIST, CREATE],
      measures: { cpu: { atMost: 1.2 } },
    }),
  )),
  { ...(await survivorsRow(ownOn('after:1'))), atMost: 150 },
  await survivorsRow(node('floor', 'floor', 'after:1')),
]

const REQUESTS = 20_000
const RUNS = 3

/** How much of a request reaches the old generation. */
async function survivorsRow({ name, start }: Contestant): Promise<Row> {
  log(`surviving bytes, ${name}`)
  const runs: number[] = []
  for (let run = 0; run < RUNS; run++) {
    using load = startScript('load', 'load-process.ts')
    await using server = await start()
    const work = { ...LIST, port: server.port, firstId: 0, count: REQUESTS }
    const send = () => ask(load, { what: 'run', server: name, ...work })
    // The first ones compile the code.
    for (let i = 0; i < 2; i++) await send()
    await server.ask('collectGarbage')
    const before = await server.ask<number>('oldGeneration')
    await send()
    runs.push(((await server.ask<number>('oldGeneration')) - before) / REQUESTS)
  }
  const work = 'list 10 over HTTP, storage after 1 ms'
  const subject = `${name}, survivors of a request, worst of ${RUNS}`
  return { work, subject, value: Math.max(...runs), unit: 'bytes' }
}

/** Durable creates (`synchronous=FULL`): by the storage alone, and over HTTP against a server written by hand. */
export const sqlite = async () => [
  await groupCommitRow(),
  ...(await duel({
    where: 'on durable SQLite',
    own: ownOn(`sqlite:${newFile('own.db')}`),
    other: node('group commit', 'floor', `grouped-sqlite:${newFile('bare.db')}`),
    works: [
      { ...CREATE, name: 'create, 1 client', connections: 1, count: 100 },
      { ...CREATE, name: 'create, 64 clients', connections: 64, count: 640 },
    ],
    measures: { throughput: { atLeast: 0.9 } },
  })),
]

const AT_ONCE = 64

async function groupCommitRow(): Promise<Row> {
  await using storage = sqliteStorage(newFile('own.db'), { synchronous: 'FULL' })
  const bare = bareSqlite(newFile('bare.db'))
  let id = 0
  const batchOn = ({ create }: PlantStorage) =>
    Array.from({ length: AT_ONCE }, () => create('writer', plant(++id)))
  /** Creates per second. */
  const rateOf = (batches: number, createBatch: () => unknown) => async () => {
    const ms = await timeOf(async () => {
      for (let i = 0; i < batches; i++) await createBatch()
    })
    return (batches * AT_ONCE * 1000) / ms
  }
  const work = 'durable SQLite creates, 64 at once'
  const row = { work, subject: 'plant-store', unit: '× one commit a create', atLeast: 30 }
  return await ratioInTurn(row, 'creates/s', { warmUp: 3, rounds: 15 }, [
    rateOf(20, () => Promise.all(batchOn(storage))),
    rateOf(1, () => batchOn(bare)),
  ])
}

const READERS = { token: 'token-of-a-reader' }

/** The cost of everything in a small and in a large store, as multiples, and the time to open it. */
export async function growth(): Promise<Row[]> {
  const sqliteOf = async (count: number) => `sqlite:${await createSqlite(plantsQuery(count))}`
  const backends = [
    ['memory', 'memory:1000000', 'memory:1000'],
    ['SQLite', await sqliteOf(1_000_000), await sqliteOf(1_000)],
  ] as const
  const rows = await rowsOf(backends, ([backend, large, small]) =>
    duel({
      where: `at 1000000 plants, ${backend}`,
      own: ownOn(large),
      other: node('at 1000', 'plant-store#serve', small),
      works: [LIST, { ...CREATE, ...READERS }, { ...DELETE, ...READERS }],
      measures: { cpu: { atMost: 1.3 } },
    }),
  )
  return [...rows, await openingRow()]
}

/** Opens a file of 5 GiB whose server was killed, up to the first list. */
async function openingRow(): Promise<Row> {
  log('opening')
  const file = await createSqlite()
  enlarge(file, 5 * 1024 ** 3)
  const times: number[] = []
  for (const count of [1_000, 10_000, 100_000]) {
    {
      await using server = await ownOn(`sqlite:${file}`).start()
      using load = startScript('load', 'load-process.ts')
      await ask(load, { what: 'run', ...CREATE, count, port: server.port, firstId: count })
    }
    const begin = performance.now()
    const storage = sqliteStorage(file)
    storage.list('owner', { limit: 10 })
    times.push(performance.now() - begin)
    await storage.close()
  }
  const work = 'opening a SQLite file of 5 GiB after a kill'
  return { work, subject: 'plant-store', ...spread(times), unit: 'ms', atMost: 50 }
}
