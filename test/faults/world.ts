import type { PlantStorage } from '../../src/plant-storage.ts'
import { random } from '../shared/random.ts'
import { type Load, type LoadResult, startLoad } from './load.ts'

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

/** Causes the accidents on a storage under load, and checks every result. */
export async function runAccidents(
  storage: PlantStorage,
  { seed, accidents, onAccident }: WorldOptions,
  cause: (load: Load, isLast: boolean) => Promise<void>,
): Promise<WorldResult> {
  const dice = random(seed)
  const load = startLoad(storage, seed)
  for (let done = 1; done <= accidents; done++) {
    await load.answered(50 + dice.below(300))
    await cause(load, done === accidents)
    onAccident?.(done)
  }
  await load.answered(100)
  return { ...(await load.finish()), faults: {} }
}
