import type { NewPlant } from 'plant-store'
import type { PlantClient, PlantStoreError } from 'plant-store/client'

/** Creates a plant exactly once, and resolves to its id. */
export async function createOnce(
  plants: PlantClient,
  plant: Omit<NewPlant, 'id'>,
): Promise<bigint> {
  const id = crypto.getRandomValues(new BigInt64Array(1))[0]!
  try {
    await plants.create({ id, ...plant })
  } catch (error) {
    if ((error as PlantStoreError).code !== 'duplicate_id') throw error
  }
  return id
}
