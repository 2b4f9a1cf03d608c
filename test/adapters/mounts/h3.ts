import { H3 } from 'h3'
import { store } from './store.ts'

export const app = new H3()
app.all('/api/**', ({ req }) => store.fetch(req))
