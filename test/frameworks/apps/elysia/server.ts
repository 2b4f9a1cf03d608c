import { Elysia } from 'elysia'
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

new Elysia()
  .all('/api/*', ({ request }) => store.fetch(request), { parse: 'none' })
  .listen(process.env.PORT ?? 3000)
