import type { ChildProcess } from 'node:child_process'
import { ask, stop } from '../shared/processes.ts'
import { checkSameAnswers } from './check.ts'
import { type Log, type Row, ratioRow, type Section, type Target } from './figures.ts'
import type { LoadResult, LoadWork } from './load-process.ts'
import { startScript } from './processes.ts'
import type { Contestant, Server } from './servers.ts'

/** Something that every server is asked to do. A delete removes what the create before it has created. */
export interface Work extends LoadWork {
  name: string
}

export const LIST: Work = { name: 'list 10', kind: 'list', connections: 32, count: 1_000 }
/** A list of so many plants, with `limit` or of all. */
export const listOf = (plants: number, count: number): Work => ({
  ...LIST,
  name: `list ${plants}`,
  query: `?limit=${plants}`,
  count,
})
export const CREATE: Work = { name: 'create', kind: 'create', connections: 32, count: 1_000 }
export const DELETE: Work = { name: 'delete', kind: 'delete', connections: 32, count: 1_000 }

/** The measurements: per request, or the time to the whole response, each with its unit. */
const MEASURES = {
  cpu: { name: 'server CPU', unit: 'µs' },
  throughput: { name: 'throughput', unit: 'requests/s' },
  p50: { name: 'p50', unit: 'µs' },
  p99: { name: 'p99', unit: 'µs' },
}
export type Measure = keyof typeof MEASURES

/** The results of one contestant, round by round. */
export interface Measured {
  name: string
  rounds: Record<Measure, number>[]
}

export interface Comparison {
  works: readonly Work[]
  contestants: readonly Contestant[]
  /** The number of times that all servers are started again, since each process compiles code differently. */
  generations: number
  /** The number of measurements of each of them. */
  rounds: number
  /** The number of rounds before that, which are not counted. Default: enough for V8. */
  warmUp?: number
}

/**
 * Rounds that are not counted. V8 compiles much of the code again after about 10 000 requests, and the last functions
 * after 25 000: 7 ms each, which is 7 µs of each request of their round.
 */
const WARM_UP = 26

/**
 * Measures servers in turn, round after round (A B C, C B A, …): what the machine does meanwhile hits all of
 * them alike, and each round gives one ratio.
 *
 * @returns for each work, what each contestant did
 */
export async function compare(comparison: Comparison, log: Log): Promise<Measured[][]> {
  const { works, contestants, generations } = comparison
  const results = works.map(() => contestants.map(({ name }): Measured => ({ name, rounds: [] })))
  for (let generation = 0; generation < generations; generation++) {
    const load = startScript('load', 'load-process.ts')
    const servers: Server[] = []
    // Nobody is always the oldest process, nor always the first to be asked.
    const order = contestants.map((_, i) => (i + generation) % contestants.length)
    try {
      for (const i of order) servers[i] = await contestants[i]!.start(generation)
      const named = servers.map((server, i) => ({ ...server, name: contestants[i]!.name }))
      await checkSameAnswers(named)
      const busiest = await measure(comparison, load, named, order, results)
      if (busiest > 0.95) log(`the load took ${Math.round(busiest * 100)} % of its core`)
    } finally {
      await Promise.all([stop(load), ...servers.map((server) => server?.stop())])
    }
  }
  return results
}

/** Adds to the results, and returns the greatest share of a core that the load took. */
async function measure(
  { works, rounds, warmUp = WARM_UP }: Comparison,
  load: ChildProcess,
  servers: (Server & { name: string })[],
  order: number[],
  results: Measured[][],
): Promise<number> {
  let [firstId, nextId, busiest] = [0, 1, 0]
  for (let round = -warmUp; round < rounds; round++) {
    for (const [w, work] of works.entries()) {
      if (work.kind === 'create') [firstId, nextId] = [nextId, nextId + work.count]
      for (const i of round % 2 === 0 ? order : order.toReversed()) {
        const { name, port, cpu } = servers[i]!
        const before = cpu()
        const question = { what: 'run', ...work, name, port, firstId }
        const { count, utilization, ...done } = await ask<LoadResult>(load, question)
        const measured = { ...done, cpu: (cpu() - before) / count }
        if (round < 0) continue
        results[w]![i]!.rounds.push(measured)
        busiest = Math.max(busiest, utilization)
      }
    }
  }
  return busiest
}

export interface Duel extends Omit<Comparison, 'contestants'> {
  /** What is compared, and the target of each, if it has one. */
  measures: Partial<Record<Measure, Target>>
}

/** Who is compared with whom, and where, such as `on Bun`: it is said after the name of the work. */
export type Sides = readonly [where: string, own: Contestant, ...others: Contestant[]]

/** A section of duels. */
export function duels(
  name: string,
  about: string,
  all: readonly (readonly [kind: Duel, ...sides: Sides])[],
): Section {
  async function run(log: Log) {
    const rows: Row[] = []
    for (const [kind, ...sides] of all) rows.push(...(await duel(kind, sides, log)))
    return rows
  }
  return { name, about, run }
}

/** Compares one contestant with others: a row for each work, measure and other. */
export async function duel(kind: Duel, [where, ...contestants]: Sides, log: Log): Promise<Row[]> {
  log(where)
  const measures = Object.entries(kind.measures) as [Measure, Target][]
  const results = await compare({ ...kind, contestants }, log)
  return kind.works.flatMap(({ name }, i) => {
    const [own, ...others] = results[i] as [Measured, ...Measured[]]
    return others.flatMap((other) =>
      measures.map(([measure, target]) => ({
        ...rowOf(`${name} ${where}`, own, other, measure),
        subject: `${own.name}, ${MEASURES[measure].name}`,
        ...target,
      })),
    )
  })
}

export function rowOf(work: string, own: Measured, to: Measured, measure: Measure): Row {
  const series = ({ rounds }: Measured) => rounds.map((round) => round[measure])
  const row = { work, subject: own.name, unit: `× ${to.name}` }
  return ratioRow(row, series(own), series(to), MEASURES[measure].unit)
}
