import { join } from 'node:path'
import { dataDirectory } from '../data-directory.ts'
import { median, type Row, ratio, type Section } from '../figures.ts'
import { ask, startScript, stop } from '../processes.ts'

const SIZES = [1_000, 1_000_000]
/** Code is not compiled alike in every process. */
const GENERATIONS = 2
const ROUNDS = 6
const WARM_UP = 8

const NAMES = { create: 'create', list: 'list 10', delete: 'delete' }

type Operation = keyof typeof NAMES

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
  const rounds: Record<Operation, number>[][] = SIZES.map(() => [])
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const children = SIZES.map((size) =>
      startScript('server', 'growth-process.ts', [placeOf(`${size}-${generation}`), `${size}`]),
    )
    try {
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        // Alternates the order, so that neither size always goes first.
        for (const size of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const costs = await ask<any>(children[size]!, { what: 'round', requests })
          if (round >= 0) rounds[size]!.push(costs)
        }
      }
    } finally {
      await Promise.all(children.map(stop))
    }
  }
  return Object.entries(NAMES).map(([operation, name]) => {
    const costsAt = (size: number) => rounds[size]!.map((costs) => costs[operation as Operation])
    return {
      work: `${name}, ${SIZES[1]} plants, ${backend}`,
      subject: 'plant-store, CPU',
      ...ratio(costsAt(1), costsAt(0)),
      unit: `× at ${SIZES[0]}`,
      atMost: 1.3,
      note: `${median(costsAt(1)).toFixed(1)} and ${median(costsAt(0)).toFixed(1)} µs`,
    }
  })
}
