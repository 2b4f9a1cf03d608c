import { mapStorage } from '../map-storage.ts'
import { bareFetch } from './bare.ts'

export default { fetch: bareFetch(mapStorage()) }
