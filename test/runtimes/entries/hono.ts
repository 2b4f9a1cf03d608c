import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { store } from '../store.ts'

const app = new Hono()
app.all('*', (c) => store.fetch(c.req.raw))

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
)
