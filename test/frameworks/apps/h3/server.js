import { H3 } from 'h3'
import { serve } from 'h3/node'
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

const app = new H3()
app.all('/api/**', ({ req }) => store.fetch(req))

serve(app, { port: Number(process.env.PORT ?? 3000) })
