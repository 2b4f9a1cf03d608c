import { toWorker } from '../../adapters/workers.ts'
import { createContractStore } from '../contract/fixture.ts'

export default toWorker(createContractStore)
