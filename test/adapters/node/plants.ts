import { staticTokens } from '../../../src/auth/tokens.ts'
import { createPlantStore, type PlantStorage, type PlantStoreOptions } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'

/** A store for the token `t`. */
export const plants = (options?: PlantStoreOptions, storage: PlantStorage = memoryStorage()) =>
  createPlantStore(storage, staticTokens({ t: 'alice' }), options)
