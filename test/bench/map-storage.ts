import type { StoredPlant } from '../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'

/** The plants of one owner. */
interface Shelf {
  plants: Map<bigint, StoredPlant>
  /** Sorted for the next list. */
  ids?: bigint[]
}

/**
 * The storage of every server that is compared: per owner a Map from id to plant. As cheap as possible for what
 * is measured (one owner's plants are only created and deleted, the other's few only listed), so that next to
 * nothing of a measured request is storage.
 */
export function mapStorage() {
  const shelves = new Map<string, Shelf>()

  function shelfOf(owner: string): Shelf {
    const shelf = shelves.get(owner) ?? { plants: new Map() }
    shelves.set(owner, shelf)
    return shelf
  }

  return {
    create(owner: string, plant: StoredPlant): boolean {
      const shelf = shelfOf(owner)
      if (shelf.plants.has(plant.id)) return false
      shelf.plants.set(plant.id, plant)
      shelf.ids = undefined
      return true
    },

    list(owner: string, { after, limit }: PageQuery): StoredPlant[] {
      const shelf = shelfOf(owner)
      shelf.ids ??= [...shelf.plants.keys()].sort((a, b) => (a < b ? -1 : 1))
      const start = after === undefined ? 0 : countUpTo(shelf.ids, after)
      // Not map(): when V8 optimizes it, the elements kind of its result changes, and V8 deoptimizes each server that
      // reads it.
      const page: StoredPlant[] = []
      for (const id of shelf.ids.slice(start, start + limit)) page.push(shelf.plants.get(id)!)
      return page
    },

    delete(owner: string, id: bigint): boolean {
      const shelf = shelfOf(owner)
      shelf.ids = undefined
      return shelf.plants.delete(id)
    },
  } satisfies PlantStorage
}

/** Counts the ids up to this one. */
function countUpTo(ids: readonly bigint[], last: bigint): number {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ids[middle]! <= last) low = middle + 1
    else high = middle
  }
  return low
}

/** A storage that answers at once, which spares the hand-written servers the promises. */
export type MapStorage = ReturnType<typeof mapStorage>
