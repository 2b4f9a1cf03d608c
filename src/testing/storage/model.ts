import type { PageQuery, StoredPlant } from '../../index.ts'
import { show } from '../framework.ts'

export type Model = ReturnType<typeof createModel>

/** Remembers what the calls of one test must have left in a storage that keeps the contract. */
export function createModel() {
  const plants = new Map<string, Map<bigint, StoredPlant>>()
  const tried = new Map<string, Set<bigint>>()

  function plantsOf(owner: string): Map<bigint, StoredPlant> {
    const own = plants.get(owner) ?? new Map()
    plants.set(owner, own)
    return own
  }

  return {
    /** The ids that were passed to `create`, by owner: what a test may have left in the storage. */
    tried: tried as ReadonlyMap<string, ReadonlySet<bigint>>,

    note(owner: string, id: bigint): void {
      tried.set(owner, (tried.get(owner) ?? new Set()).add(id))
    },

    /** Returns what `create` must return. */
    create(owner: string, plant: StoredPlant): boolean {
      const own = plantsOf(owner)
      if (own.has(plant.id)) return false
      // A test may change its object later.
      own.set(plant.id, { ...plant })
      return true
    },

    /** Returns what `delete` must return. */
    delete: (owner: string, id: bigint): boolean => plantsOf(owner).delete(id),

    /** Returns the page that `list` must return. */
    list(owner: string, { after, limit }: PageQuery): StoredPlant[] {
      const all = [...plantsOf(owner).values()]
      const following = all.filter(({ id }) => after === undefined || id > after)
      return following.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
    },

    count: (owner: string) => plantsOf(owner).size,
  }
}

/**
 * Describes the first difference between a page and what it must be.
 *
 * @returns the end of the sentence `list(…) returned …`, or `undefined` if they are equal
 */
export function difference(
  plants: readonly StoredPlant[],
  expected: readonly StoredPlant[],
): string | undefined {
  for (const [index, wanted] of expected.entries()) {
    const plant = plants[index]
    if (!plant) {
      return `${count(plants)}: the page ends early, since ${show(wanted)} follows: only the last page may have fewer plants than limit`
    }
    const { id, name, tag } = wanted
    if (plant.id === id && plant.name === name && plant.tag === tag) continue
    return `${count(plants)}: at index ${index}, expected ${show(wanted)}, got ${show(plant)}`
  }
  const extra = plants[expected.length]
  return extra && `${count(plants)}, expected ${expected.length}: ${show(extra)} must not be in it`
}

function count({ length }: readonly StoredPlant[]): string {
  return length === 1 ? '1 plant' : `${length} plants`
}
