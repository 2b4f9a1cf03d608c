import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataDirectory } from '../data-directory.ts'
import type { Figure, Section } from '../figures.ts'
import { ask, start, stop } from '../processes.ts'
import { spread } from '../statistics.ts'

const SIZES = [1_000, 100_000, 1_000_000]
/** Code is not compiled alike in every process. */
const GENERATIONS = 3
const ROUNDS = 5

type Round = Record<'create' | 'list' | 'delete', number>

/** Create, list 10 and delete in stores of growing size. */
export const growth: Section = {
  name: 'growth',
  about: 'create, list 10 and delete at 1 000, 100 000 and 1 000 000 plants',
  async run(log) {
    const directory = await dataDirectory()
    const figures: Figure[] = []
    for (const backend of ['memory', 'SQLite'] as const) {
      const rounds = { end: [] as Round[][], anywhere: [] as Round[][] }
      let bytes: number[] = []
      for (let generation = 0; generation < GENERATIONS; generation++) {
        const children = SIZES.map((size) => {
          const script = fileURLToPath(new URL('../growth-process.ts', import.meta.url))
          const file = join(directory, `${size}-${generation}.db`)
          const args = ['--expose-gc', script, backend === 'memory' ? 'memory' : file, `${size}`]
          return start('server', process.execPath, args, { ipc: true })
        })
        try {
          bytes = await Promise.all(
            children.map((child) => ask<number>(child, { what: 'bytesPerPlant' })),
          )
          log(`${backend}: filled`)
          for (const where of ['end', 'anywhere'] as const) {
            const requests = backend === 'memory' ? 4_000 : 1_000
            rounds[where].push(...(await measure(children, where, requests)))
          }
        } finally {
          await Promise.all(children.map(stop))
        }
      }
      figures.push(...compare(backend, 'end', rounds.end))
      figures.push(...compare(backend, 'anywhere', rounds.anywhere))
      if (backend === 'memory') {
        figures.push({
          section: 'growth',
          work: 'memory storage of 1000000 plants',
          subject: 'heap a plant',
          value: bytes.at(-1)!,
          unit: 'bytes',
        })
      }
    }
    return figures
  },
}

async function measure(
  children: ReturnType<typeof start>[],
  where: 'end' | 'anywhere',
  requests: number,
): Promise<Round[][]> {
  const one = (child: (typeof children)[number]) =>
    ask<Round>(child, { what: 'round', where, requests })
  for (let warmup = 0; warmup < 8; warmup++) for (const child of children) await one(child)

  const rounds: Round[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bySize: Round[] = []
    // There and back, so that none always comes after the same one.
    const order = [...children.keys()]
    for (const i of round % 2 === 0 ? order : order.reverse()) bySize[i] = await one(children[i]!)
    rounds.push(bySize)
  }
  return rounds
}

function compare(backend: string, where: 'end' | 'anywhere', rounds: Round[][]): Figure[] {
  const operations =
    where === 'end' ? (['create', 'list', 'delete'] as const) : (['create', 'delete'] as const)
  return operations.flatMap((operation) =>
    [1, 2].map((larger): Figure => {
      const { median, low, high } = spread(
        rounds.map((bySize) => bySize[larger]![operation] / bySize[0]![operation]),
      )
      const of = (size: number) => spread(rounds.map((bySize) => bySize[size]![operation])).median
      const name = operation === 'list' ? 'list 10' : operation
      return {
        section: 'growth',
        work: `${name}${where === 'anywhere' ? ' at random ids' : ''}, ${SIZES[larger]} plants, ${backend}`,
        subject: 'plant-store, CPU',
        value: median,
        low,
        high,
        unit: `× at ${SIZES[0]}`,
        // At random places every plant is on another page of the tree, and out of the CPU's cache:
        // shown, and held to no target.
        ...(where === 'end' && { atMost: 1.3 }),
        note: `${of(0).toFixed(1)} and ${of(larger).toFixed(1)} µs`,
      }
    }),
  )
}
