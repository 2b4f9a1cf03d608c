import { setTimeout as delay } from 'node:timers/promises'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { type Random, random } from '../shared/random.ts'
import { findViolations, recordCalls } from './history.ts'

const CALLERS = 8
// Owners change often, so that the history of each plant is short enough to search.
const CALLS_PER_GENERATION = 400
const OWNERS = 8
const IDS = [-1n, 0n, 2n ** 53n + 1n]
/** How long a caller waits after a call without a result, so that it doesn't spin while the server is down. */
const PAUSE_MS = 10
const PATIENCE_MS = 60_000

/** The results of a load. */
export interface LoadResult {
  operations: number
  /** Of the calls that may or may not have taken effect. */
  errors: StorageUnavailableError[]
  /** Results that no correct storage could have returned. */
  violations: string[]
}

/** Which accidents happen. The seed decides all but the timing of the processes. */
export interface AccidentOptions {
  seed: number
  /** How many kills or failovers. */
  accidents: number
}

/** Causes the accidents on a storage under load, and checks every result. */
export async function runAccidents(
  storage: PlantStorage,
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

/**
 * Starts callers that create, delete and list without pause, and records every result. The seed decides which calls each
 * caller makes, but not how they meet.
 */
export function startLoad(storage: PlantStorage, seed = 1, callers = CALLERS) {
  const { calls, ...recorded } = recordCalls(storage)
  let running = true
  let answered = 0
  let aliveAt = performance.now()
  let nextId = 1n

  const generation = () => Math.floor(calls.length / CALLS_PER_GENERATION)
  const runs = Array.from({ length: callers }, async (_, caller) => {
    const dice = random(seed * callers + caller)
    while (running) await succeeds(callOnce(dice))
  })

  async function succeeds(call: Promise<boolean>): Promise<boolean> {
    if (await call) {
      answered++
      aliveAt = performance.now()
      return true
    }
    await delay(PAUSE_MS)
    return false
  }

  function callOnce(dice: Random): Promise<boolean> {
    const owner = `${generation()}-${dice.below(OWNERS)}`
    switch (dice.below(5)) {
      case 0: // A plant that no other call creates or deletes.
        return recorded.create(owner, plantOf(nextId++))
      case 1:
        return recorded.delete(owner, dice.pick(IDS))
      case 2:
        return recorded.list(owner)
      case 3: // Reads older plants, which a fault may have changed.
        return recorded.list(`${dice.below(generation() + 1)}-${dice.below(OWNERS)}`)
      default:
        return recorded.create(owner, plantOf(dice.pick(IDS)))
    }
  }

  /** The name is unique. The tag has the id, since lists over HTTP have none. */
  function plantOf(id: bigint) {
    return { id, name: `Plant ${calls.length}`, tag: `${id}` }
  }

  function assertAlive(): void {
    if (performance.now() - aliveAt < PATIENCE_MS) return
    const cause = calls.findLast(({ error }) => error)?.error
    throw new Error('No call has succeeded for a minute', { cause })
  }

  return {
    /**
     * Resolves once this many more calls have succeeded. Unavailable ones don't count.
     *
     * @throws (rejects with) an Error if no call succeeds for a minute
     */
    async answered(more: number): Promise<void> {
      aliveAt = performance.now()
      for (const until = answered + more; answered < until; ) {
        assertAlive()
        await delay(1)
      }
    },

    /** Stops the calls, lists the plants of all owners, and checks every recorded result. */
    async finish(): Promise<LoadResult> {
      running = false
      await Promise.all(runs)
      for (const owner of new Set(calls.map((call) => call.owner))) {
        while (!(await succeeds(recorded.list(owner)))) assertAlive()
      }
      const errors = calls
        .map(({ error }) => error)
        .filter((error) => error instanceof StorageUnavailableError)
      return { operations: calls.length, errors, violations: findViolations(calls) }
    },
  }
}
