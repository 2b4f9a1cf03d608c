import type { StoredPlant } from '../../src/plant.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

export const plant = (id: number): StoredPlant => ({
  id: BigInt(id),
  name: `Monstera ${id}`,
  tag: 'indoor',
})

/** Creates a storage in memory, in which the reader has so many plants, with the ids from 1. */
export function filledStorage(count: number) {
  const storage = memoryStorage()
  for (let id = 1; id <= count; id++) storage.create('reader', plant(id))
  return storage
}
