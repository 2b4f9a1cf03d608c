import { toWorker } from '../../../adapters/workers.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { mapStorage } from '../map-storage.ts'
import { verify } from './contract.ts'

export default toWorker(() => createPlantStore(mapStorage(), verify))
