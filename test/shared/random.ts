/** Random numbers that are the same in each run, so that a failure can be reproduced. */
export type Random = ReturnType<typeof random>

/** Creates a generator of random numbers (mulberry32). */
export function random(seed: number) {
  let state = seed

  /** Returns an integer from 0 to `end` - 1. */
  function below(end: number): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }

  return {
    below,
    /** Returns one of the items. */
    pick: <T>(items: readonly T[]): T => items[below(items.length)]!,
  }
}
