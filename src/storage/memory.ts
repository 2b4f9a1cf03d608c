/**
 * Keeps plants in this process's memory: for unit tests, demonstrations, and what may be lost.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { memoryStorage } from 'plant-store/storage/memory'
 *
 * const store = createPlantStore(memoryStorage(), verify)
 * ```
 *
 * @module
 */
import type { StoredPlant } from '../plant.ts'
import type { PlantStorage } from '../plant-storage.ts'
import {
  emptyTree,
  type PlantTree,
  readPlants,
  withoutPlant,
  withPlant,
} from './memory/plant-tree.ts'

/** What `memoryStorage` makes: a `PlantStorage` that answers at once, without promises. */
export interface MemoryStorage extends PlantStorage {
  create(owner: string, plant: StoredPlant): boolean
  list(owner: string, page: { after?: bigint; limit: number }): StoredPlant[]
  delete(owner: string, id: bigint): boolean
}

/**
 * Makes a storage in memory. It answers at once, without promises, and each of its methods takes a
 * time that grows with the logarithm of how many plants the owner has, whatever the order of ids.
 *
 * Plants are copied when they come and frozen, so nobody can change what is stored.
 *
 * @example
 * ```ts
 * const storage = memoryStorage()
 * storage.create('alice', { id: 7n, name: 'Monstera', tag: 'indoor' }) // true
 * storage.list('alice', { limit: 10 }) // [{ id: 7n, name: 'Monstera', tag: 'indoor' }]
 * storage.delete('alice', 7n) // true
 * ```
 */
export function memoryStorage(): MemoryStorage {
  const owners = new Map<string, PlantTree>()

  return {
    create(owner, plant) {
      const tree = withPlant(owners.get(owner) ?? emptyTree(), frozenCopy(plant))
      if (!tree) return false
      owners.set(owner, tree)
      return true
    },
    list(owner, { after, limit }) {
      const tree = owners.get(owner)
      return tree ? readPlants(tree, after, limit) : []
    },
    delete(owner, id) {
      const before = owners.get(owner)
      const tree = before && withoutPlant(before, id)
      if (!tree) return false
      if (tree.items.length > 0) owners.set(owner, tree)
      else owners.delete(owner)
      return true
    },
  }
}

function frozenCopy({ id, name, tag }: StoredPlant): StoredPlant {
  return Object.freeze(tag === undefined ? { id, name } : { id, name, tag })
}
