import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { serve } from 'plant-store/deno'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(sqliteStorage('data/plants.db'), staticTokens({ s3cret: 'alice' }))
await serve(store, { port: Number(Deno.env.get('PORT') ?? 3000) })
