/** Dice that fall the same each time, so that what failed once fails again. */
export interface Random {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number
  pick<T>(items: readonly T[]): T
}

/** Makes dice (mulberry32). */
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
