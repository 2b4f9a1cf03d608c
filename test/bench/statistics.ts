/** The middle of the values, and the quartiles around it. */
export interface Spread {
  median: number
  low: number
  high: number
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
  }
}

export function median(values: number[]): number {
  return spread(values).median
}

function quantile(sorted: number[], q: number): number {
  const position = (sorted.length - 1) * q
  const below = sorted[Math.floor(position)]!
  const above = sorted[Math.ceil(position)]!
  return below + (above - below) * (position % 1)
}
