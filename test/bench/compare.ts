import type { ChildProcess } from 'node:child_process'
import { ask, stop } from '../shared/processes.ts'
import { checkSameAnswers } from './check.ts'
import { type Log, type Row, ratioRow, type Section, type Target, takeTurns } from './figures.ts'
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
 * Measures servers in turn.
 *
 * @returns for each work, what each contestant did
 */
export async function compare(comparison: Comparison): Promise<Measured[][]> {
  const { works, contestants, generations, rounds, warmUp = WARM_UP } = comparison
  const results = works.map(() => contestants.map(({ name }): Measured => ({ name, rounds: [] })))
  for (let generation = 0; generation < generations; generation++) {
    const load = startScript('load', 'load-process.ts')
    const servers: Server[] = []
    // Nobody is always the oldest process, nor always the first to be asked.
    const first = generation % contestants.length
    const inTurn = [...contestants.slice(first), ...contestants.slice(0, first)]
    try {
      for (const { start } of inTurn) servers.push(await start())
      await checkSameAnswers(servers)
      const turns = servers.map((server) => [server.name, turnOf(server, works, load)] as const)
      const measured = await takeTurns({ warmUp, rounds }, Object.fromEntries(turns))
      for (const [i, contestantsOfWork] of results.entries()) {
        for (const one of contestantsOfWork) {
          one.rounds.push(...measured[one.name]!.map((round) => round[i]!))
        }
      }
    } finally {
      await Promise.all([stop(load), ...servers.map((server) => server.stop())])
    }
  }
  return results
}

/** No database that is measured again has had them. They come behind all plants that are there. */
let nextId = 2_000_000

/** Lets a server do each work, and measures it. */
function turnOf({ name, port, token, cpu }: Server, works: readonly Work[], load: ChildProcess) {
  return async () => {
    const measured: Record<Measure, number>[] = []
    let firstId = nextId
    for (const work of works) {
      if (work.kind === 'create') [firstId, nextId] = [nextId, nextId + work.count]
      const before = cpu()
      const done = await ask<LoadResult>(load, { what: 'run', token, ...work, name, port, firstId })
      measured.push({ ...done, cpu: (cpu() - before) / work.count })
    }
    return measured
  }
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
  const results = await compare({ ...kind, contestants })
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
