import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ask, stop } from '../../shared/processes.ts'
import { dataDirectory } from '../data-directory.ts'
import { number, type Row, ratioRow, type Section, spread, takeTurns, timeOf } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { startScript } from '../processes.ts'

/** How many plants there are, and of how many owners. */
interface Population {
  plants: number
  owners: number
}

const START: Population = { plants: 1_000, owners: 1 }
const GROWN: Population = { plants: 1_000_000, owners: 1 }
const OF_MANY: Population[] = [1_000, 1_000_000].map((owners) => ({ plants: 1_000_000, owners }))

/** Code is not compiled alike in every process. */
const GENERATIONS = 2
const CHURNS = 3
const NAMES = {
  create: 'create',
  list: 'list 10',
  middle: 'list 10 from the middle',
  delete: 'delete',
}

type Costs = Record<keyof typeof NAMES, number>

/** The cost of everything in a small and in a large store, as multiples. */
export const growth: Section = {
  name: 'growth',
  about: 'at 1 000 and 1 000 000 plants, without HTTP: CPU, disk, and the time to open',
  async run(log) {
    const rows = await measure('memory', [GROWN], 4_000, () => 'memory')
    const directory = await dataDirectory()
    const fileOf = ({ plants, owners }: Population, generation: number) =>
      join(directory, `${plants}-${owners}-${generation}.db`)
    rows.push(...(await measure('SQLite', [GROWN, ...OF_MANY], 1_000, fileOf)))
    log('opening, disk and churn')
    const files = (population: Population) =>
      Array.from({ length: GENERATIONS }, (_, generation) => fileOf(population, generation))
    rows.push(await openingRow(files(GROWN), files(START)))
    rows.push(diskRow(files(GROWN)[0]!, files(START)[0]!))
    rows.push(await churnRow(join(directory, 'churn.db')))
    return rows
  },
}

function startPopulation(place: string, { plants, owners }: Population) {
  return startScript('server', 'growth-process.ts', [place, `${plants}`, `${owners}`])
}

/** Kills the processes, so that the files are left as after a crash. */
async function measure(
  backend: string,
  grown: Population[],
  requests: number,
  placeOf: (population: Population, generation: number) => string,
): Promise<Row[]> {
  const populations = [START, ...grown]
  const costs: Costs[][] = populations.map(() => [])
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const children = populations.map((one) => startPopulation(placeOf(one, generation), one))
    const measurements = Object.fromEntries(
      children.map((child, i) => [i, () => ask<Costs>(child, { what: 'round', requests })]),
    )
    const results = await takeTurns({ warmUp: 8, rounds: 6 }, measurements).finally(() =>
      Promise.all(children.map(stop)),
    )
    for (const i of populations.keys()) costs[i]!.push(...results[i]!)
  }
  return grown.flatMap(({ plants, owners }, i) => {
    const of = owners === 1 ? '' : ` of ${owners} owners`
    return (Object.keys(NAMES) as (keyof Costs)[]).map((operation) => {
      const series = (index: number) => costs[index]!.map((cost) => cost[operation])
      const work = `${NAMES[operation]}, ${plants} plants${of}, ${backend}`
      const row = { work, subject: 'plant-store, CPU', unit: `× at ${START.plants}`, atMost: 1.3 }
      return ratioRow(row, series(i + 1), series(0), 'µs')
    })
  })
}

/** Opens files whose processes were killed, up to the first list. */
async function openingRow(large: string[], small: string[]): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  async function open(file: string): Promise<number> {
    const storage = sqliteStorage(file)
    const time = await timeOf(() => storage.list('owner 0', { limit: 10 }))
    await storage.close()
    return time
  }
  const [times, toStart]: [number[], number[]] = [[], []]
  for (const file of large) times.push(await open(file))
  for (const file of small) toStart.push(await open(file))
  return {
    work: `opening ${GROWN.plants} plants after a kill, SQLite`,
    subject: 'plant-store',
    ...spread(times),
    unit: 'ms',
    atMost: 50,
    note: `at ${START.plants}: ${number(spread(toStart).value)} ms`,
  }
}

/** The size of a file with all that is still in its -wal. */
function sizeOf(file: string): number {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return statSync(file).size
}

function diskRow(large: string, small: string): Row {
  const [bytes, toStart] = [sizeOf(large) / GROWN.plants, sizeOf(small) / START.plants]
  return {
    work: `disk per plant, ${GROWN.plants} plants, SQLite`,
    subject: 'plant-store',
    value: bytes / toStart,
    unit: `× at ${START.plants}`,
    atMost: 1.3,
    note: `${number(bytes)} and ${number(toStart)} bytes`,
  }
}

async function churnRow(file: string): Promise<Row> {
  const child = startPopulation(file, { plants: 100_000, owners: 1 })
  await ask(child, { what: 'churn' })
  const before = sizeOf(file)
  for (let i = 0; i < CHURNS; i++) await ask(child, { what: 'churn' })
  const after = sizeOf(file)
  await stop(child)
  return {
    work: `file after ${CHURNS} times all plants deleted and created, SQLite`,
    subject: 'plant-store',
    value: after / before,
    unit: '× after the first time',
    atMost: 1.3,
    note: `${number(after / 2 ** 20)} and ${number(before / 2 ** 20)} MiB`,
  }
}
