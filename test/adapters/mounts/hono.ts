import { Hono } from 'hono'
import { mountedStore as store } from './store.ts'

export const app = new Hono()
app.mount('/api', store.fetch)
