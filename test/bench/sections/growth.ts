import { join } from 'node:path'
import { enlarge } from '../../faults/sqlite/enlarge.ts'
import { ask, stop } from '../../shared/processes.ts'
import { dataDirectory } from '../data-directory.ts'
import { type Row, ratioRow, type Section, spread, takeTurns } from '../figures.ts'
import { importBuilt } from '../own.ts'
import { startScript } from '../processes.ts'

/** How many plants there are. */
const COUNTS = [1_000, 1_000_000]
const [START, GROWN] = COUNTS as [number, number]

/** Code is not compiled alike in every process. */
const GENERATIONS = 2
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
  about: 'at 1 000 and 1 000 000 plants, without HTTP: CPU, and the time to open',
  async run(log) {
    const directory = await dataDirectory()
    const fileOf = (plants: number, generation: number) =>
      join(directory, `${plants}-${generation}.db`)
    const rows = [
      ...(await measure('memory', 4_000, () => 'memory')),
      ...(await measure('SQLite', 1_000, fileOf)),
    ]
    log('opening')
    return [...rows, await openingRow(directory)]
  },
}

/** Kills the processes, so that the files are left as after a crash. */
async function measure(
  backend: string,
  requests: number,
  placeOf: (plants: number, generation: number) => string,
): Promise<Row[]> {
  const [toStart, grown]: [Costs[], Costs[]] = [[], []]
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const children = COUNTS.map((plants) =>
      startScript('server', 'growth-process.ts', [placeOf(plants, generation), `${plants}`]),
    )
    const [small, large] = children.map(
      (child) => () => ask<Costs>(child, { what: 'round', requests }),
    )
    const results = await takeTurns(
      { warmUp: 8, rounds: 6 },
      { small: small!, large: large! },
    ).finally(() => Promise.all(children.map(stop)))
    toStart.push(...results.small)
    grown.push(...results.large)
  }
  return (Object.keys(NAMES) as (keyof Costs)[]).map((operation) => {
    const series = (costs: Costs[]) => costs.map((cost) => cost[operation])
    const work = `${NAMES[operation]}, ${GROWN} plants, ${backend}`
    const row = { work, subject: 'plant-store, CPU', unit: `× at ${START}`, atMost: 1.3 }
    return ratioRow(row, series(grown), series(toStart), 'µs')
  })
}

/** Opens a file of 5 GiB whose process was killed, up to the first list. */
async function openingRow(directory: string): Promise<Row> {
  const { sqliteStorage } = await importBuilt('src/storage/sqlite.ts')
  const file = join(directory, 'large.db')
  await sqliteStorage(file).close()
  enlarge(file, 5 * 1024 ** 3)
  const times: number[] = []
  for (const plants of [1_000, 10_000, 100_000]) {
    const writer = startScript('server', 'growth-process.ts', [file, `${plants}`])
    await ask(writer, { what: 'round', requests: 1 })
    await stop(writer)
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
