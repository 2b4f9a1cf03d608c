import { join } from 'node:path'
import { dataDirectory } from '../data-directory.ts'
import { type Row, ratioRow, type Section, takeTurns } from '../figures.ts'
import { ask, startScript, stop } from '../processes.ts'

const SIZES = [1_000, 1_000_000]
/** Code is not compiled alike in every process. */
const GENERATIONS = 4
const NAMES = { create: 'create', list: 'list 10', delete: 'delete' }

type Costs = Record<keyof typeof NAMES, number>

/** Create, list 10 and delete in a small and in a large store. */
export const growth: Section = {
  name: 'growth',
  about: 'create, list 10 and delete at 1 000 and 1 000 000 plants, without HTTP: CPU',
  async run() {
    const directory = await dataDirectory()
    return [
      ...(await measure('memory', 4_000, () => 'memory')),
      ...(await measure('SQLite', 1_000, (name) => join(directory, `${name}.db`))),
    ]
  },
}

async function measure(
  backend: string,
  requests: number,
  placeOf: (name: string) => string,
): Promise<Row[]> {
  const [small, large]: [Costs[], Costs[]] = [[], []]
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const children = SIZES.map((size) =>
      startScript('server', 'growth-process.ts', [placeOf(`${size}-${generation}`), `${size}`]),
    )
    const costs = (i: number) => () => ask<Costs>(children[i]!, { what: 'round', requests })
    const results = await takeTurns(
      { warmUp: 8, rounds: 6 },
      { small: costs(0), large: costs(1) },
    ).finally(() => Promise.all(children.map(stop)))
    small.push(...results.small)
    large.push(...results.large)
  }
  return Object.entries(NAMES).map(([operation, name]) => {
    const series = (costs: Costs[]) => costs.map((cost) => cost[operation as keyof Costs])
    const work = `${name}, ${SIZES[1]} plants, ${backend}`
    const row = { work, subject: 'plant-store, CPU', unit: `× at ${SIZES[0]}`, atMost: 1.3 }
    return ratioRow(row, series(large), series(small), 'µs')
  })
}
