import type { PlantStorage } from '../../src/plant-storage.ts'
import { type Random, random } from '../shared/random.ts'
import { findViolations, recordCalls } from './history.ts'

const CALLERS = 8
// Owners change often, so that the history of each plant is short enough to search.
const CALLS_PER_GENERATION = 400
const OWNERS = 8
const IDS = [-1n, 0n, 2n ** 53n + 1n]
const LONGEST_PAUSE_MS = 100
const PATIENCE_MS = 60_000

/** Callers that create, delete and list without pause, and record every result. */
export interface Load {
  /**
   * Resolves once this many more calls have succeeded. Unavailable ones don't count.
   *
   * @throws (rejects with) an Error if no call succeeds for a minute
   */
  answered(count: number): Promise<void>
  /** Stops the calls, lists the plants of all owners, and checks every recorded result. */
  finish(): Promise<LoadResult>
}

/** The results of a load. */
export interface LoadResult {
  operations: number
  /** How many creates and deletes may or may not have taken effect. */
  unknown: number
  /** Results that no correct storage could have returned. */
  violations: string[]
}

/** Starts a load. The seed decides which calls each caller makes, but not how they meet. */
export function startLoad(
  storage: Pick<PlantStorage, 'create' | 'list' | 'delete'>,
  seed = 1,
): Load {
  const recorded = recordCalls(storage)
  let running = true
  let answered = 0
  let nextId = 0n
  let waiting: { until: number; resolve(): void } | undefined

  const generation = () => Math.floor(recorded.calls.length / CALLS_PER_GENERATION)
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const dice = random(seed * CALLERS + caller)
    let pauseMs = 5
    while (running) {
      const result = await callOnce(dice)
      if (result === undefined) {
        // Don't spin while the server is down.
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
        continue
      }
      pauseMs = 5
      answered++
      if (waiting && answered >= waiting.until) waiting.resolve()
    }
  })

  function callOnce(dice: Random): Promise<unknown> {
    const owner = `${generation()}-${dice.below(OWNERS)}`
    switch (dice.below(5)) {
      case 0: // A plant that no other call creates or deletes.
        return recorded.create(owner, plantOf(nextId++ + 1n))
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
    return { id, name: `Plant ${recorded.calls.length}`, tag: `${id}` }
  }

  function lastFailure(): string {
    const failed = recorded.calls.findLast(({ failure }) => failure !== undefined)
    return failed?.failure ?? 'The storage was unavailable'
  }

  async function listAll(): Promise<void> {
    for (const owner of new Set(recorded.calls.map((call) => call.owner))) {
      for (let tries = 1; !(await recorded.list(owner)); tries++) {
        if (tries === 100) throw new Error(`The plants of ${owner} can't be listed`)
        await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE_MS))
      }
    }
  }

  return {
    async answered(count) {
      for (const until = answered + count; answered < until; ) {
        const before = answered
        const progress = new Promise<void>((resolve) => (waiting = { until, resolve }))
        const timer = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())
        await Promise.race([progress, timer])
        if (answered === before)
          throw new Error(`No call has succeeded for a minute. ${lastFailure()}`)
      }
    },

    async finish() {
      running = false
      await Promise.all(callers)
      await listAll()
      const { calls } = recorded
      const unknown = calls.filter((call) => call.kind !== 'list' && call.ended === Infinity)
      return {
        operations: calls.length,
        unknown: unknown.length,
        violations: findViolations(calls),
      }
    },
  }
}
