import { memoryStorage } from '../../../src/storage/memory.ts'
import { bareFetch } from './bare-fetch.ts'

export default { fetch: bareFetch(memoryStorage()) }
