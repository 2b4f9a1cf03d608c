import type { LoadResult } from './load.ts'

/** What happens to an engine under load. The seed decides it all, except how processes meet. */
export interface WorldOptions {
  seed: number
  /** How many kills or failovers. */
  accidents: number
  /** Called after each accident, with the number of accidents so far. */
  onAccident?(done: number): void
}

/** What the load has seen, and how often each fault was injected. */
export interface WorldResult extends LoadResult {
  faults: Record<string, number>
}
