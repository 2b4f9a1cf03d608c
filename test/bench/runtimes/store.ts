import { createPlantStore } from '../../../src/plant-store.ts'
import { mapStorage } from '../map-storage.ts'
import { owners } from '../servers/contract.ts'

/** The plant store on the storage of all. */
export function createStore() {
  return createPlantStore(mapStorage(), (token) => {
    const owner = owners.get(token)
    return owner === undefined ? null : { owner }
  })
}
