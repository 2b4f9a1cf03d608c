import type { StoredPlant } from '../../src/plant.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'

interface Shelf {
  plants: Map<bigint, StoredPlant>
  ids: bigint[]
}

/**
 * The storage of every server that is compared: per owner a Map from id to plant, and the ids in order. As
 * cheap as possible for what is measured (creates in the order of ids, deletes in the opposite order, pages of
 * small owners), so that next to nothing of a measured request is storage.
 */
export function mapStorage() {
  const shelves = new Map<string, Shelf>()

  function shelfOf(owner: string): Shelf {
    const shelf = shelves.get(owner) ?? { plants: new Map(), ids: [] }
    shelves.set(owner, shelf)
    return shelf
  }

  return {
    create(owner: string, plant: StoredPlant): boolean {
      const { plants, ids } = shelfOf(owner)
      if (plants.has(plant.id)) return false
      plants.set(plant.id, plant)
      if (ids.length === 0 || ids.at(-1)! < plant.id) ids.push(plant.id)
      else ids.splice(firstIndexBeyond(ids, plant.id), 0, plant.id)
      return true
    },

    list(owner: string, { after, limit }: { after?: bigint; limit: number }): StoredPlant[] {
      const { plants, ids } = shelfOf(owner)
      const start = after === undefined ? 0 : firstIndexBeyond(ids, after)
      const page: StoredPlant[] = []
      for (let i = start; i < ids.length && page.length < limit; i++) {
        page.push(plants.get(ids[i]!)!)
      }
      return page
    },

    delete(owner: string, id: bigint): boolean {
      const { plants, ids } = shelfOf(owner)
      if (!plants.delete(id)) return false
      if (ids.at(-1) === id) ids.pop()
      else ids.splice(firstIndexBeyond(ids, id) - 1, 1)
      return true
    },
  } satisfies PlantStorage
}

/** A storage that answers at once, which spares the hand-written servers the promises. */
export type MapStorage = ReturnType<typeof mapStorage>

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
