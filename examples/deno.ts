// The plant store as a server of its own in Deno, on SQLite:
//
//   deno run --allow-net --allow-env --allow-read --allow-write examples/deno.ts
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/plants
//
// PORT is 3000 by default, PLANT_STORE_DB plants.db. In a project of your own, import from
// 'plant-store', 'plant-store/deno' and so on.
import { serve } from '../adapters/deno.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'

const storage = sqliteStorage(process.env.PLANT_STORE_DB || 'plants.db')
const store = createPlantStore(storage, staticTokens({ 'demo-token': 'demo' }))

// SIGTERM and SIGINT let the requests in flight finish, and close the file.
const { url } = await serve(store, { port: Number(process.env.PORT || 3000) })
console.log(`Listening on ${url}/plants`)
