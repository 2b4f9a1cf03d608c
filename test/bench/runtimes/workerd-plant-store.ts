import { toWorker } from '../../../adapters/workers.ts'
import { createStore } from './store.ts'

export default toWorker(createStore)
