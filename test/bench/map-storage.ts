import type { StoredPlant } from '../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../src/plant-storage.ts'

/**
 * The storage of every server that is compared: for each owner a Map from id to plant. One owner's plants are only
 * created and deleted and the other's only listed, so that next to nothing of a measured request is storage.
 */
export function mapStorage() {
  type Shelf = { plants: Map<bigint, StoredPlant>; sortedIds?: bigint[] }
  const owners = new Map<string, Shelf>()

  function shelfOf(owner: string): Shelf {
    const shelf = owners.get(owner) ?? { plants: new Map() }
    owners.set(owner, shelf)
    return shelf
  }

  return {
    create(owner: string, plant: StoredPlant): boolean {
      const shelf = shelfOf(owner)
      if (shelf.plants.has(plant.id)) return false
      shelf.plants.set(plant.id, plant)
      shelf.sortedIds = undefined
      return true
    },

    list(owner: string, { after, limit }: PageQuery): StoredPlant[] {
      const shelf = shelfOf(owner)
      shelf.sortedIds ??= [...shelf.plants.keys()].sort((a, b) => (a < b ? -1 : 1))
      // What is listed has the ids from 1.
      const start = after === undefined ? 0 : Number(after)
      // Not map(): when V8 optimizes it, the elements kind of its result changes, and V8 deoptimizes each server that
      // reads it.
      const page: StoredPlant[] = []
      for (const id of shelf.sortedIds.slice(start, start + limit)) page.push(shelf.plants.get(id)!)
      return page
    },

    delete(owner: string, id: bigint): boolean {
      const shelf = shelfOf(owner)
      shelf.sortedIds = undefined
      return shelf.plants.delete(id)
    },
  } satisfies PlantStorage
}

/** A storage that answers at once, which spares the hand-written servers the promises. */
export type MapStorage = ReturnType<typeof mapStorage>

export const plant = (id: number) => ({ id: BigInt(id), name: `Monstera ${id}`, tag: 'indoor' })

/** Gives the reader so many plants, with the ids from 1. */
export async function filled<Storage extends PlantStorage>(storage: Storage, count: number) {
  for (let id = 1; id <= count; id++) await storage.create('reader', plant(id))
  return storage
}
