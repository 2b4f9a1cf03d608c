import { mapStorage } from '../map-storage.ts'
import { bareFetch } from './bare-fetch.ts'

export default { fetch: bareFetch(mapStorage()) }
