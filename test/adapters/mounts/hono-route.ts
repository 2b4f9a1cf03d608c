import { Hono } from 'hono'
import { store } from './store.ts'

export const app = new Hono()
app.all('/api/plants/*', (c) => store.fetch(c.req.raw))
