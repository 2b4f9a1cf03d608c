/** One row of the table: a ratio or a size, and the target it is held to. */
export interface Figure {
  section: string
  work: string
  subject: string
  value: number
  /** The quartiles over the rounds. */
  low?: number
  high?: number
  unit: string
  atMost?: number
  atLeast?: number
  /** Absolute figures of this run, which are never compared with another run's. */
  note?: string
}

export type Row = Omit<Figure, 'section'>
export type Target = Pick<Figure, 'atMost' | 'atLeast'>

/** Measures one part of the whole, and logs what it does. */
export interface Section {
  name: string
  about: string
  run(log: (line: string) => void): Promise<Row[]>
}

/** Whether the target is met; undefined where there is none. */
export function passes({ value, atMost, atLeast }: Figure): boolean | undefined {
  if (atMost !== undefined) return value <= atMost
  if (atLeast !== undefined) return value >= atLeast
  return undefined
}

/** The median of the ratios of two series, round by round, and the quartiles around it. */
export function ratio(of: number[], to: number[]): Pick<Row, 'value' | 'low' | 'high'> {
  const ratios = of.map((value, round) => value / to[round]!)
  return { value: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], q: number): number {
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
