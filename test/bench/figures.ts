/** One row of the table: a ratio, a time or a size, and the target it is held to. */
export interface Row extends Target {
  work: string
  subject: string
  value: number
  /** The quartiles over the rounds. */
  low?: number
  high?: number
  unit: string
  /** Absolute figures of this run, which are never compared with another run's. */
  note?: string
}

export interface Target {
  atMost?: number
  atLeast?: number
}

/** Whether only to show that everything runs: the figures mean nothing then. */
export const isQuick = process.argv.includes('--quick')

/** Says what is measured. */
export const log = (line: string) => console.error(`  ${line}`)

/** Measures one thing after the other, and returns the rows of all. */
export async function rowsOf<Item>(
  items: readonly Item[],
  measure: (item: Item) => Promise<Row | Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const item of items) rows.push(...[await measure(item)].flat())
  return rows
}

interface Rounds {
  rounds: number
  /** The number of rounds before that, which compile the code and don't count. Default: none. */
  warmUp?: number
}

/**
 * Makes measurements take turns (A B C, C B A, …), so that what the machine does meanwhile hits all of them
 * alike, and each round gives one ratio.
 *
 * @returns for each measurement, its results round by round
 */
export async function takeTurns<Result>(
  { rounds, warmUp = 0 }: Rounds,
  measurements: readonly (() => Promise<Result>)[],
): Promise<Result[][]> {
  const turns = measurements.map((measure) => ({ measure, results: [] as Result[] }))
  const last = isQuick ? 2 : rounds
  for (let round = isQuick ? 0 : -warmUp; round < last; round++) {
    for (const { measure, results } of round % 2 === 0 ? turns : turns.toReversed()) {
      const result = await measure()
      if (round >= 0) results.push(result)
    }
  }
  return turns.map(({ results }) => results)
}

/** A value for each round. */
type Series = readonly number[]

/** Measures two things in turn, and returns the row that compares them. */
export async function ratioInTurn(
  row: Omit<Row, 'value'>,
  unit: string,
  rounds: Rounds,
  measurements: readonly [own: () => Promise<number>, other: () => Promise<number>],
): Promise<Row> {
  const [own, other] = await takeTurns(rounds, measurements)
  return ratioRow(row, unit, own!, other!)
}

/** The row that compares two series, round by round: the median of the ratios, and the quartiles around it. */
export function ratioRow(row: Omit<Row, 'value'>, unit: string, own: Series, other: Series): Row {
  const note = `${number(median(own))} and ${number(median(other))} ${unit}`
  return { ...row, ...spread(own.map((value, round) => value / other[round]!)), note }
}

/** The median, and the quartiles around it. */
export function spread(values: Series): { value: number; low: number; high: number } {
  return { value: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) }
}

export function median(values: Series): number {
  return quantile(values, 0.5)
}

export function quantile(values: Series, q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * q
  const below = sorted[Math.floor(position)]!
  const above = sorted[Math.ceil(position)]!
  return below + (above - below) * (position % 1)
}

/** Three significant digits. */
export function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** The milliseconds that something takes. */
export async function timeOf(work: () => unknown): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
