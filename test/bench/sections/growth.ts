import { enlarge } from '../../faults/sqlite/enlarge.ts'
import { ask, stop } from '../../shared/processes.ts'
import { CREATE, DELETE, duel, LIST } from '../compare.ts'
import { createSqlite } from '../databases.ts'
import { log, type Row, spread } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { addPlants } from '../plants.ts'
import { startScript } from '../processes.ts'
import { node } from '../servers.ts'

const READERS = { token: 'token-of-a-reader' }
const KIND = {
  works: [LIST, { ...CREATE, ...READERS }, { ...DELETE, ...READERS }],
  measures: { cpu: { atMost: 1.3 } },
  generations: 2,
  rounds: 8,
}

/** The cost of everything in a small and in a large store, as multiples, and the time to open it. */
export async function run(): Promise<Row[]> {
  const sqliteOf = async (count: number) =>
    `sqlite:${await createSqlite((storage) => addPlants(storage, 'reader', count))}`
  const backends = [
    ['memory', 'memory:1000000', 'memory:1000'],
    ['SQLite', await sqliteOf(1_000_000), await sqliteOf(1_000)],
  ] as const
  const rows: Row[] = []
  for (const [backend, large, small] of backends) {
    const sides = {
      own: node('plant-store', 'plant-store', large),
      other: node('at 1000', 'plant-store', small),
    }
    rows.push(...(await duel({ ...KIND, where: `at 1000000 plants, ${backend}`, ...sides })))
  }
  log('opening')
  return [...rows, await openingRow()]
}

/** Opens a file of 5 GiB whose server was killed, up to the first list. */
async function openingRow(): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const file = await createSqlite(() => {})
  enlarge(file, 5 * 1024 ** 3)
  const times: number[] = []
  let firstId = 1
  for (const count of [1_000, 10_000, 100_000]) {
    const server = await node('plant-store', 'plant-store', `sqlite:${file}`).start()
    const load = startScript('load', 'load-process.ts')
    await ask(load, { what: 'run', ...CREATE, count, port: server.port, firstId })
    await Promise.all([stop(load), server.stop()])
    firstId += count
    const begin = performance.now()
    const storage = sqliteStorage(file)
    storage.list('owner', { limit: 10 })
    times.push(performance.now() - begin)
    await storage.close()
  }
  return {
    work: 'opening a SQLite file of 5 GiB after a kill',
    subject: 'plant-store',
    ...spread(times),
    unit: 'ms',
    atMost: 50,
  }
}
