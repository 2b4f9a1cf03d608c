import { H3 } from 'h3'
import { mountedStore as store } from './store.ts'

export const app = new H3()
app.mount('/api', store)
