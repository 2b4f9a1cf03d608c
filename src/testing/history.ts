import type { StoredPlant } from '../plant.ts'
import { type PlantStorage, StorageUnavailableError } from '../plant-storage.ts'

/** What somebody did to one plant, or saw of it, and when: by a clock that ticks at each event. */
export interface Observation {
  /** Owner and id. */
  key: string
  kind: 'create' | 'delete' | 'read'
  /** The name that was to be created, or that was read. */
  name?: string
  /** Of a create or delete: its answer, or `undefined` when none came, so that nobody knows. */
  answer?: boolean
  began: number
  ended: number
}

/**
 * Wraps a storage so that all that it answers about the given ids is recorded. A call that throws
 * `StorageUnavailableError` has an unknown outcome, if it was a create or delete.
 */
export function recordHistory(
  storage: Pick<PlantStorage, 'create' | 'list' | 'delete'>,
  ids: bigint[],
) {
  const history: Observation[] = []
  let clock = 0

  async function write(kind: 'create' | 'delete', key: string, run: () => unknown, name?: string) {
    const observation: Observation = { key, kind, name, began: clock++, ended: Infinity }
    history.push(observation)
    try {
      observation.answer = (await run()) as boolean
      observation.ended = clock++
      return observation.answer
    } catch (error) {
      if (error instanceof StorageUnavailableError) return undefined
      throw error
    }
  }

  return {
    history,
    create: (owner: string, plant: StoredPlant) =>
      write('create', `${owner} ${plant.id}`, () => storage.create(owner, plant), plant.name),
    delete: (owner: string, id: bigint) =>
      write('delete', `${owner} ${id}`, () => storage.delete(owner, id)),
    async read(owner: string) {
      const began = clock++
      try {
        const plants = await storage.list(owner, { limit: ids.length + 1 })
        const ended = clock++
        for (const id of ids) {
          const name = plants.find((plant) => plant.id === id)?.name
          history.push({ key: `${owner} ${id}`, kind: 'read', name, began, ended })
        }
        return plants
      } catch (error) {
        if (error instanceof StorageUnavailableError) return undefined
        throw error
      }
    },
  }
}

/**
 * Looks for plants whose observations no order explains: one in which each call takes effect at once,
 * between its beginning and its end, and a call with unknown outcome at any later time or never
 * (linearizability; the search is that of Wing and Gong with Lowe's memory of what failed).
 *
 * @returns the observations of each plant that no order explains
 */
export function findUnexplained(history: Observation[]): Observation[][] {
  return [...Map.groupBy(history, ({ key }) => key).values()].filter((ofOne) => !hasOrder(ofOne))
}

function hasOrder(observations: Observation[]): boolean {
  const calls = observations.toSorted((a, b) => a.began - b.began)
  const failed = new Set<string>()
  return search(0n, undefined)

  /** `done` has a bit for each call that has its place already; `present` is the name then stored. */
  function search(done: bigint, present: string | undefined): boolean {
    let next = possibleNext(calls, done)
    // What fits and changes nothing may come at once: a later place would be no better.
    for (;;) {
      const index = next.find((index) => fitsUnchanged(calls[index]!, present))
      if (index === undefined) break
      done |= bit(index)
      next = possibleNext(calls, done)
    }
    if (next.every((index) => calls[index]!.ended === Infinity)) return true

    const state = `${done} ${present}`
    if (failed.has(state)) return false
    for (const index of next) {
      const call = calls[index]!
      if (!fitsChanging(call, present)) continue
      if (search(done | bit(index), call.kind === 'create' ? call.name : undefined)) return true
    }
    failed.add(state)
    return false
  }
}

/** The calls that may be next: those that began before any other that is left had ended. */
function possibleNext(calls: Observation[], done: bigint): number[] {
  const left = [...calls.keys()].filter((index) => !(done & bit(index)))
  const firstEnd = Math.min(...left.map((index) => calls[index]!.ended))
  return left.filter((index) => calls[index]!.began < firstEnd)
}

function bit(index: number): bigint {
  return 1n << BigInt(index)
}

function fitsUnchanged({ kind, name, answer }: Observation, present: string | undefined): boolean {
  if (kind === 'read') return name === present
  return answer === false && (kind === 'create') === (present !== undefined)
}

function fitsChanging({ kind, answer }: Observation, present: string | undefined): boolean {
  return kind !== 'read' && answer !== false && (kind === 'create') === (present === undefined)
}
