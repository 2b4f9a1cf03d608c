import type { ChildProcess } from 'node:child_process'
import { ask } from '../shared/processes.ts'
import { checkSameAnswers } from './check.ts'
import { isQuick, log, type Row, ratioRow, type Target, takeTurns } from './figures.ts'
import type { Work } from './load-process.ts'
import { startScript } from './processes.ts'
import type { Contestant, Server } from './servers.ts'

export const LIST: Work = { name: 'list 10', method: 'GET', connections: 32, count: 1_000 }
export const CREATE: Work = { ...LIST, name: 'create', method: 'POST' }
export const DELETE: Work = { ...LIST, name: 'delete', method: 'DELETE' }
export const listOf = (plants: number, count: number): Work => ({
  ...LIST,
  name: `list ${plants}`,
  query: `?limit=${plants}`,
  count,
})

/** The measurements: per request, or the time to the whole response, each with its unit. */
const MEASURES = {
  cpu: { name: 'server CPU', unit: 'µs' },
  throughput: { name: 'throughput', unit: 'requests/s' },
  p50: { name: 'p50', unit: 'µs' },
  p99: { name: 'p99', unit: 'µs' },
}
type Measure = keyof typeof MEASURES
type Measured = Record<Measure, number>

export interface Comparison {
  /** Said after the name of the work, such as `on Bun`. */
  where: string
  works: readonly Work[]
  contestants: readonly Contestant[]
  /** The number of times that all servers are started again, since each process compiles code differently. Default: 4. */
  generations?: number
}

/**
 * V8 compiles much of the code again after about 10 000 requests, and the last functions after 25 000: 7 ms each, which
 * is 7 µs of each request of their round.
 */
const ROUNDS = { warmUp: 26, rounds: 8 }

/**
 * Measures servers in turn.
 *
 * @returns a function that makes the row of a work that compares one contestant with another, by their names
 */
export async function compare(comparison: Comparison) {
  const { where, works, contestants, generations = 4 } = comparison
  /** For each contestant, round by round, what it measured of each work. */
  const results = new Map(contestants.map(({ name }) => [name, [] as Measured[][]]))
  for (let generation = 0; generation < (isQuick ? 1 : generations); generation++) {
    using load = startScript('load', 'load-process.ts')
    await using started = new AsyncDisposableStack()
    const servers: Server[] = []
    // Nobody is always the oldest process, nor always the first to be asked.
    const first = generation % contestants.length
    const inTurn = [...contestants.slice(first), ...contestants.slice(0, first)]
    for (const { start } of inTurn) servers.push(started.use(await start()))
    await checkSameAnswers(servers)
    const turns = servers.map((server) => turnOf(server, works, load))
    for (const [i, measured] of (await takeTurns(ROUNDS, turns)).entries()) {
      results.get(servers[i]!.name)!.push(...measured)
    }
  }
  return (
    work: Work,
    own: string,
    other: string,
    target: Target = {},
    measure: Measure = 'cpu',
  ) => {
    const index = works.indexOf(work)
    const series = (name: string) => results.get(name)!.map((round) => round[index]![measure])
    const row = { work: `${work.name} ${where}`, subject: own, unit: `× ${other}`, ...target }
    return ratioRow(row, MEASURES[measure].unit, series(own), series(other))
  }
}

/** No database that is measured again has had them. They come behind all plants that are there. */
let nextId = 2_000_000

/** Makes a server do each work, and measures it. */
function turnOf({ name, port, token, cpu }: Server, works: readonly Work[], load: ChildProcess) {
  return async () => {
    const measured: Measured[] = []
    let firstId = nextId
    for (const work of works) {
      if (work.method === 'POST') [firstId, nextId] = [nextId, nextId + work.count]
      const before = cpu()
      const question = { what: 'run', token, ...work, server: name, port, firstId }
      const done = await ask<Omit<Measured, 'cpu'>>(load, question)
      measured.push({ ...done, cpu: (cpu() - before) / work.count })
    }
    return measured
  }
}

export interface Duel extends Omit<Comparison, 'contestants'> {
  own: Contestant
  other: Contestant
  /** What is compared, and the target of each, if it has one. */
  measures: Partial<Record<Measure, Target>>
}

/** Compares one contestant with another: a row for each work and measure. */
export async function duel({ own, other, measures, ...comparison }: Duel): Promise<Row[]> {
  log(comparison.where)
  const ratio = await compare({ ...comparison, contestants: [own, other] })
  const targets = Object.entries(measures) as [Measure, Target][]
  return comparison.works.flatMap((work) =>
    targets.map(([measure, target]) => ({
      ...ratio(work, own.name, other.name, target, measure),
      subject: `${own.name}, ${MEASURES[measure].name}`,
    })),
  )
}
