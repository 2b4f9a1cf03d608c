import { expect } from 'vitest'
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
