import { AutoRouter } from 'itty-router'
import { store } from './store.ts'

export const app = AutoRouter()
app.all('/api/*', store.fetch)
