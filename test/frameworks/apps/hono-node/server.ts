import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
  {
    basePath: '/api',
    onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
  },
)

const app = new Hono()
app.all('/api/*', (c) => store.fetch(c.req.raw))

serve({ port: Number(process.env.PORT ?? 3000), fetch: app.fetch })
