import { staticTokens } from '../../src/auth/tokens.ts'
import {
  createPlantStore,
  type PlantStorage,
  type PlantStoreOptions,
  type StoredPlant,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** A store for the token `t`. */
export const plants = (options?: PlantStoreOptions, storage: PlantStorage = memoryStorage()) =>
  createPlantStore(storage, staticTokens({ t: 'alice' }), options)

/** A storage that has this many plants without keeping any, and counts how often it is read. */
export function longList(count: number, name = 'Monstera deliciosa') {
  const storage = {
    reads: 0,
    create: () => false,
    delete: () => false,
    list(_owner, { after = 0n, limit }): StoredPlant[] | Promise<StoredPlant[]> {
      storage.reads++
      const length = Math.min(limit, count - Number(after))
      return Array.from({ length }, (_, index) => ({ id: after + BigInt(index + 1), name }))
    },
  } satisfies PlantStorage & { reads: number }
  return storage
}
