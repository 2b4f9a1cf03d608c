import { random } from '../shared/random.ts'
import type { Operations } from './history.ts'
import { type LoadResult, startLoad } from './load.ts'

/** Which accidents happen. The seed decides all but the timing of the processes. */
export interface AccidentOptions {
  seed: number
  /** How many kills or failovers. */
  accidents: number
}

/** Causes the accidents on a storage under load, and checks every result. */
export async function runAccidents(
  storage: Operations,
  { seed, accidents }: AccidentOptions,
  cause: (count: number) => Promise<unknown>,
): Promise<LoadResult> {
  const dice = random(seed)
  const load = startLoad(storage, seed)
  for (let count = 0; count < accidents; count++) {
    await load.answered(50 + dice.below(300))
    await cause(count)
  }
  await load.answered(100)
  return load.finish()
}
