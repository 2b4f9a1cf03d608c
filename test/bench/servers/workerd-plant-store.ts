import { toWorker } from '../../../adapters/workers.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { verify } from './contract.ts'

export default toWorker(() => createPlantStore(memoryStorage(), verify))
