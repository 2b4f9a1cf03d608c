import { enlarge } from '../../faults/sqlite/enlarge.ts'
import { ask, stop } from '../../shared/processes.ts'
import { CREATE, DELETE, duel, LIST } from '../compare.ts'
import { createSqlite } from '../databases.ts'
import { type Row, type Section, spread } from '../figures.ts'
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
} as const

/** The cost of everything in a small and in a large store, as multiples. */
export const growth: Section = {
  name: 'growth',
  about: 'at 1 000 and 1 000 000 plants: server CPU, and the time to open',
  async run(log) {
    const fill = (count: number) => createSqlite((storage) => addPlants(storage, 'reader', count))
    const memoryOf = async (count: number) => `memory:${count}`
    const sqliteOf = async (count: number) => `sqlite:${await fill(count)}`
    const rows: Row[] = []
    for (const [backend, storageOf] of [
      ['memory', memoryOf],
      ['SQLite', sqliteOf],
    ] as const) {
      const large = node('plant-store', 'plant-store', await storageOf(1_000_000))
      const small = node('at 1000', 'plant-store', await storageOf(1_000))
      rows.push(...(await duel(KIND, [`at 1000000 plants, ${backend}`, large, small], log)))
    }
    log('opening')
    return [...rows, await openingRow()]
  },
}

/** Opens a file of 5 GiB whose server was killed, up to the first list. */
async function openingRow(): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const file = await createSqlite(() => {})
  enlarge(file, 5 * 1024 ** 3)
  const times: number[] = []
  let firstId = 1
  for (const count of [1_000, 10_000, 100_000]) {
    const {
      name,
      port,
      stop: kill,
    } = await node('plant-store', 'plant-store', `sqlite:${file}`).start()
    const load = startScript('load', 'load-process.ts')
    await ask(load, { what: 'run', ...CREATE, count, name, port, firstId })
    await Promise.all([stop(load), kill()])
    firstId += count
    const start = performance.now()
    const storage = sqliteStorage(file)
    storage.list('owner', { limit: 10 })
    times.push(performance.now() - start)
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
