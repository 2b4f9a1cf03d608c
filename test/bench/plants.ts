import type { PlantStorage } from '../../src/plant-storage.ts'

export const plant = (id: number) => ({ id: BigInt(id), name: `Monstera ${id}`, tag: 'indoor' })

/** Creates plants with the ids from 1, many at a time, so that they may share commits. */
export async function addPlants(storage: PlantStorage, owner: string, count: number) {
  for (let id = 1; id <= count; ) {
    const batch: unknown[] = []
    while (batch.length < 5_000 && id <= count) batch.push(storage.create(owner, plant(id++)))
    await Promise.all(batch)
  }
}
