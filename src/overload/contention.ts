import type { Measurement } from './measurement.ts'

/** Two measurements are compared if one has this many times the calls in progress of the other. */
const COMPARABLE = 1.2
/**
 * The exponent with which the duration grows with the calls in progress is 0 where they don't matter, and 1 in a full pool.
 * Above the one, it shows contention, and below the other, it says against it.
 */
const SHOWN_ABOVE = 0.7
const DOUBTED_BELOW = 0.5
/** As long as there is only the idle duration to compare with, a greater exponent shows a storage that has become slower. */
const SLOWER_ABOVE = 1.3
/** So many doubts end it. */
const MAX_DOUBTS = 3

/** Whether two numbers of calls are too near to compare. */
export function isAbout(a: number, b: number): boolean {
  return a < COMPARABLE * b && b < COMPARABLE * a
}

/** Finds out whether calls slow each other down, from their durations with different numbers of them in progress. */
export function createContention() {
  let last: Measurement | undefined
  let doubts = 0

  const contention = {
    isShown: false,
    /**
     * @param idle what to compare with at first
     * @returns whether there was something to compare with
     */
    learn(now: Measurement, idle: Measurement | undefined): boolean {
      const isFirst = last === undefined
      const before = last ?? idle ?? now
      last = now
      if (isAbout(now.inFlight, before.inFlight)) return false
      const ratio = now.inFlight / before.inFlight
      const exponent = Math.log(now.ms / before.ms) / Math.log(ratio)
      if (exponent > SHOWN_ABOVE && !(isFirst && exponent > SLOWER_ABOVE)) {
        contention.isShown = true
        doubts = 0
      }
      // Much slower with fewer calls: the storage itself has become slower.
      const isSlower = ratio < 1 && exponent < -DOUBTED_BELOW
      if (exponent < DOUBTED_BELOW && !isSlower) doubts++
      if (doubts >= MAX_DOUBTS) contention.isShown = false
      return true
    },
  }
  return contention
}
