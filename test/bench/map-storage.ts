import type { StoredPlant } from '../../src/plant.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'

interface Shelf {
  plants: Map<bigint, StoredPlant>
  /** The ids in ascending order: an id greater than all before it is appended, any other sorts anew. */
  ids: bigint[]
  sorted: boolean
}

/**
 * The storage of every server that is compared: per owner a Map from id to plant, and the ids in
 * order. As cheap as can be for what is measured (creates by ascending id, pages of small owners), so
 * that next to nothing of a measured request is storage.
 */
export function mapStorage() {
  const shelves = new Map<string, Shelf>()

  function shelfOf(owner: string): Shelf {
    const shelf = shelves.get(owner) ?? { plants: new Map(), ids: [], sorted: true }
    shelves.set(owner, shelf)
    return shelf
  }

  return {
    create(owner: string, plant: StoredPlant): boolean {
      const shelf = shelfOf(owner)
      if (shelf.plants.has(plant.id)) return false
      shelf.plants.set(plant.id, plant)
      if (shelf.ids.length > 0 && shelf.ids.at(-1)! > plant.id) shelf.sorted = false
      shelf.ids.push(plant.id)
      return true
    },

    list(owner: string, { after, limit }: { after?: bigint; limit: number }): StoredPlant[] {
      const shelf = shelfOf(owner)
      const { plants } = shelf
      const ids = sortedIds(shelf)
      const start = after === undefined ? 0 : firstIndexBeyond(ids, after)
      const page: StoredPlant[] = []
      for (let i = start; i < ids.length && page.length < limit; i++)
        page.push(plants.get(ids[i]!)!)
      return page
    },

    delete(owner: string, id: bigint): boolean {
      const shelf = shelfOf(owner)
      if (!shelf.plants.delete(id)) return false
      const ids = sortedIds(shelf)
      ids.splice(firstIndexBeyond(ids, id) - 1, 1)
      return true
    },
  } satisfies PlantStorage
}

/** A storage that answers at once, which spares the hand-written servers the promises. */
export type MapStorage = ReturnType<typeof mapStorage>

function sortedIds(shelf: Shelf): bigint[] {
  if (!shelf.sorted) shelf.ids.sort((a, b) => (a < b ? -1 : 1))
  shelf.sorted = true
  return shelf.ids
}

function firstIndexBeyond(ids: bigint[], id: bigint): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ids[middle]! <= id) low = middle + 1
    else high = middle
  }
  return low
}
