/**
 * Keeps plants in this process's memory, for unit tests and demonstrations.
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
import { kindOf } from '../lib/kind-of.ts'
import { findProblems } from '../new-plant-rules.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import {
  emptyTree,
  insertPlant,
  type PlantTree,
  readPlants,
  removePlant,
} from './memory/plant-tree.ts'

/** The storage that `memoryStorage` returns. Its methods are synchronous. */
export interface MemoryStorage extends PlantStorage {
  create(owner: string, plant: StoredPlant): boolean
  list(owner: string, query: PageQuery): readonly StoredPlant[]
  delete(owner: string, id: bigint): boolean
}

/**
 * Creates a storage in memory. The time that a method takes grows with the logarithm of the number of the
 * owner's plants, whatever the order of their ids.
 *
 * Plants are copied and frozen, so nobody can change what is stored.
 *
 * @param plants the plants that it starts with, by owner. Default: none
 * @throws TypeError if an owner's plants are not an array, a plant is not valid, or an id is there twice
 *
 * @example
 * ```ts
 * const storage = memoryStorage({ alice: [{ id: 7n, name: 'Monstera', tag: 'indoor' }] })
 * storage.create('alice', { id: 8n, name: 'Ficus' }) // true
 * storage.list('alice', { after: 7n, limit: 10 }) // [{ id: 8n, name: 'Ficus' }]
 * storage.delete('alice', 7n) // true
 * ```
 */
export function memoryStorage(
  plants: Readonly<Record<string, readonly StoredPlant[]>> = {},
): MemoryStorage {
  const owners = new Map<string, PlantTree>()

  function create(owner: string, plant: StoredPlant): boolean {
    const tree = insertPlant(owners.get(owner) ?? emptyTree(), frozenCopy(plant))
    if (!tree) return false
    owners.set(owner, tree)
    return true
  }

  for (const { owner, plant } of firstPlants(plants)) {
    if (!create(owner, plant)) {
      throw new TypeError(`The plants of ${owner} must have different ids; got ${plant.id} twice`)
    }
  }

  return {
    create,
    list(owner, { after, limit }) {
      const tree = owners.get(owner)
      return tree ? readPlants(tree, after, limit) : []
    },
    delete(owner, id) {
      const before = owners.get(owner)
      const tree = before && removePlant(before, id)
      if (!tree) return false
      if (tree.items.length > 0) owners.set(owner, tree)
      else owners.delete(owner)
      return true
    },
  }
}

function* firstPlants(plants: Readonly<Record<string, readonly StoredPlant[]>>) {
  if (typeof plants !== 'object' || plants === null || Array.isArray(plants)) {
    throw new TypeError(
      `memoryStorage takes plants by owner, { alice: [{ id: 7n, name: 'Monstera' }] }; got ${kindOf(plants)}`,
    )
  }
  for (const [owner, list] of Object.entries(plants)) {
    if (!Array.isArray(list)) {
      throw new TypeError(`The plants of ${owner} must be an array; got ${kindOf(list)}`)
    }
    for (const [index, plant] of (list as readonly StoredPlant[]).entries()) {
      const problems = findProblems(plant, 'it')
      if (problems.length > 0) {
        throw new TypeError(
          `The plant at index ${index} of ${owner} is not valid: ${problems.join('; ')}. Expected { id: 7n, name: 'Monstera', tag: 'indoor' } or the like`,
        )
      }
      yield { owner, plant }
    }
  }
}

function frozenCopy({ id, name, tag }: StoredPlant): StoredPlant {
  return Object.freeze(tag === undefined ? { id, name } : { id, name, tag })
}
