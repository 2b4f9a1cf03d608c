import type { PlantStorage } from '../../../src/plant-storage.ts'
import { importCore, importNode } from '../own.ts'
import { owners } from './contract.ts'

/** The plant store on Node, as its README serves it. */
export async function listen(storage: PlantStorage): Promise<number> {
  const [{ createPlantStore }, { serve }] = await Promise.all([importCore(), importNode()])
  const store = createPlantStore(storage, (token) => {
    const owner = owners.get(token)
    return owner === undefined ? null : { owner }
  })
  const { port } = await serve(store, { port: 0 })
  return port
}
