// The plant store in a Hono app. It needs no adapter, nor does any framework that speaks Fetch:
//
//   node examples/hono.ts        (with Node 22.18 or newer, else npx node; PORT is 3000 by default)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/api/v1/plants
//
// In a project of your own, import from 'plant-store' and so on.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { memoryStorage } from '../src/storage/memory.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ 'demo-token': 'demo' }), {
  // Hono leaves the URL as it is.
  basePath: '/api/v1',
})

const app = new Hono()
app.all('/api/v1/*', (c) => store.fetch(c.req.raw))
app.get('/', (c) => c.text('The plants are at /api/v1/plants.\n'))

const port = Number(process.env.PORT || 3000)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`Listening on http://127.0.0.1:${port}/api/v1/plants`)
})
