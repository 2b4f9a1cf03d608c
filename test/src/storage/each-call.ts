import { expect } from 'vitest'
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'

/** Calls each method of a storage, and expects every call to throw this. */
export async function expectEachCallToThrow(
  storage: PlantStorage,
  error: Error | RegExp | string,
): Promise<void> {
  await expect(async () => storage.create('alice', { id: 1n, name: 'Fern' })).rejects.toThrow(error)
  await expect(async () => storage.list('alice', { limit: 1 })).rejects.toThrow(error)
  await expect(async () => storage.delete('alice', 1n)).rejects.toThrow(error)
}

/** Calls each method with ids and texts that a client may change: the contract in short. */
export async function createListDelete(storage: PlantStorage): Promise<void> {
  const plants = [INT64_MIN, INT64_MAX].map((id) => ({ id, name: '\uFEFF🌱ł', tag: '' }))
  for (const plant of plants) expect(await storage.create('ål', plant)).toBe(true)
  expect(await storage.create('ål', plants[0]!)).toBe(false)
  expect(await storage.list('ål', { limit: 3 })).toEqual(plants)
  for (const { id } of plants) expect(await storage.delete('ål', id)).toBe(true)
  expect(await storage.delete('ål', 1n)).toBe(false)
}
