import type { Measurement } from './measurement.ts'

/** Two measurements are compared if one has this many times the calls in progress of the other. */
const COMPARABLE = 1.2
/**
 * The slowdown is the exponent with which the duration grows with the calls in progress: 0 where they don't matter, 1 in a
 * full pool. A greater one than this shows contention.
 */
const SHOWN_ABOVE = 0.7
/** A smaller one than this is a doubt. */
const DOUBTED_BELOW = 0.5
/** In comparison with the idle duration, a greater one than this is of a storage that has become slower since. */
const SLOWER_ABOVE = 1.3
/** So many doubts end contention. */
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
      const slowdown = Math.log(now.ms / before.ms) / Math.log(ratio)
      // Fewer calls that take longer, or far more than calls alone can explain.
      const isSlower = isFirst ? slowdown > SLOWER_ABOVE : ratio < 1 && slowdown < -DOUBTED_BELOW
      if (slowdown > SHOWN_ABOVE && !isSlower) {
        contention.isShown = true
        doubts = 0
      }
      if (slowdown < DOUBTED_BELOW && !isSlower) doubts++
      if (doubts >= MAX_DOUBTS) contention.isShown = false
      return true
    },
  }
  return contention
}
