import type { PlantStorage } from '../../../src/plant-storage.ts'
import type { PlantStore } from '../../../src/plant-store.ts'
import { importCore, importNode } from '../own.ts'
import { owners } from './contract.ts'

/** The plant store on Node, as the first screen of its README serves it. */
export async function listen(storage: PlantStorage): Promise<number> {
  const { serve } = await importNode()
  const { port } = await serve(await createStore(storage), { port: 0 })
  return port
}

export async function createStore(storage: PlantStorage): Promise<PlantStore> {
  const { createPlantStore } = await importCore()
  return createPlantStore(storage, (token) => {
    const owner = owners.get(token)
    return owner === undefined ? null : { owner }
  })
}
