// The plant store as a server of its own in Bun, on SQLite:
//
//   bun examples/bun.ts        (PORT is 3000 by default, PLANT_STORE_DB plants.db)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/plants
//
// In a project of your own, import from 'plant-store', 'plant-store/bun' and so on.
import { serve } from '../adapters/bun.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'

const storage = sqliteStorage(process.env.PLANT_STORE_DB || 'plants.db')
const store = createPlantStore(storage, staticTokens({ 'demo-token': 'demo' }))

// SIGTERM and SIGINT let the requests in flight finish, and close the file.
const { url } = await serve(store, { port: Number(process.env.PORT || 3000) })
console.log(`Listening on ${url}/plants`)
