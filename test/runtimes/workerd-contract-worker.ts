import { toWorker } from '../../adapters/workers.ts'
import { createAdapterTestStore } from '../../src/testing.ts'

export default toWorker(createAdapterTestStore)
