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

/** The fields of a create with the token `t`. */
export const HEADERS = { authorization: 'Bearer t', 'content-type': 'application/json' }

/** Lists the plants of the store at this URL. */
export const read = (url: string) => fetch(`${url}/plants`, { headers: HEADERS })

/** Sends a create to the store at this URL. */
export function create(url: string, body: BodyInit, headers: Record<string, string> = {}) {
  // A body that is a stream needs `duplex`.
  const init = { method: 'POST', duplex: 'half', body, headers: { ...HEADERS, ...headers } }
  return fetch(`${url}/plants`, init)
}
