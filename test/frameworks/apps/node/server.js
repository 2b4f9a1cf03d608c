import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { serve } from 'plant-store/node'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
)
await serve(store, { port: Number(process.env.PORT ?? 3000) })
