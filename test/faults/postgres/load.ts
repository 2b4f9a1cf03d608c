import { expect } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { findUnexplained, recordHistory } from '../../../src/testing/history.ts'
import { random } from '../../../src/testing/random.ts'

const CALLERS = 8
const OWNERS = Array.from({ length: 24 }, (_, index) => `owner ${index}`)
const IDS = [-1n, 0n, 2n ** 53n + 1n]

/** Callers that create, delete and list without pause, and record every result. */
export interface Load {
  /** Resolves once this many more calls have succeeded. Unavailable ones don't count. */
  answered(count: number): Promise<void>
  /** Stops the calls, and checks every recorded result against what is stored now. */
  finish(): Promise<{ answered: number; unknown: number }>
}

/** Starts a load. */
export function startLoad(storage: PlantStorage): Load {
  const recorded = recordHistory(storage, IDS)
  const results = { created: new Set<bigint>(), unknown: new Set<bigint>() }
  let running = true
  let answered = 0
  let nextId = 0n
  let waiting: { until: number; resolve: () => void }[] = []

  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const dice = random(caller)
    while (running) {
      const kind = dice.below(4)
      const owner = dice.pick(OWNERS)
      const answer =
        kind === 0
          ? await createUnique(nextId++)
          : kind === 1
            ? await recorded.create(owner, { id: dice.pick(IDS), name: `${caller} ${answered}` })
            : kind === 2
              ? await recorded.delete(owner, dice.pick(IDS))
              : await recorded.read(owner)
      if (answer === undefined) {
        // Don't spin while the server is down.
        await new Promise((resolve) => setTimeout(resolve, 5))
        continue
      }
      answered++
      for (const { until, resolve } of waiting) if (answered >= until) resolve()
      waiting = waiting.filter(({ until }) => answered < until)
    }
  })

  /** Creates a plant that no other call creates or deletes. */
  async function createUnique(id: bigint): Promise<boolean | undefined> {
    try {
      const created = await storage.create('unique', { id, name: `unique ${id}` })
      expect(created, `create of ${id}, which is new`).toBe(true)
      results.created.add(id)
      return true
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      results.unknown.add(id)
      return undefined
    }
  }

  return {
    async answered(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ until: answered + count, resolve })
      await Promise.race([promise, Promise.all(callers)])
    },

    async finish() {
      running = false
      await Promise.all(callers)
      for (const owner of OWNERS) expect(await recorded.read(owner)).toBeDefined()
      expect(findUnexplained(recorded.history)).toEqual([])

      const stored = (await storage.list('unique', { limit: 1_000_000 })).map(({ id }) => id)
      const there = new Set(stored)
      const lost = [...results.created].filter((id) => !there.has(id))
      const phantoms = stored.filter((id) => !results.created.has(id) && !results.unknown.has(id))
      expect({ lost, phantoms }).toEqual({ lost: [], phantoms: [] })
      const unknown = recorded.history.filter(({ ended }) => ended === Infinity).length
      return { answered, unknown: results.unknown.size + unknown }
    },
  }
}
