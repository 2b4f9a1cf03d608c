import type { PlantStorage } from 'plant-store'

export async function deletePlantsOf(storage: PlantStorage, owner: string): Promise<void> {
  for (;;) {
    const plants = await storage.list(owner, { limit: 500 })
    if (plants.length === 0) return
    for (const { id } of plants) await storage.delete(owner, id)
  }
}
