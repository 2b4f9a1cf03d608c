import type { LoadResult } from './load.ts'

/** The faults that are injected into an engine under load. The seed decides all but the timing of the processes. */
export interface WorldOptions {
  seed: number
  /** How many kills or failovers. */
  accidents: number
  /** Called after each accident, with the number of accidents so far. */
  onAccident?(done: number): void
}

/** The results of the load, and the number of times that each fault was injected. */
export interface WorldResult extends LoadResult {
  faults: Record<string, number>
}
