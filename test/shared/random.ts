/** Random numbers that are the same in each run, so that a failure can be reproduced. */
export interface Random {
  /** Returns an integer from 0 to `end` - 1. */
  below(end: number): number
  /** Returns one of the items. */
  pick<T>(items: readonly T[]): T
}

/** Creates a generator of random numbers (mulberry32). */
export function random(seed: number): Random {
  let state = seed
  function below(end: number): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }
  return { below, pick: (items) => items[below(items.length)]! }
}
