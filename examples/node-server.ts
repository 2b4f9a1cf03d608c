// The plant store as a server of its own, on SQLite:
//
//   node examples/node-server.ts        (or npm start; PORT is 3000 by default, PLANT_STORE_DB plants.db)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/plants
//
// In a project of your own, import from 'plant-store', 'plant-store/node', 'plant-store/auth/tokens' and
// 'plant-store/storage/sqlite'.
import { serve } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'

const storage = sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db')
// Everybody knows this token. serve() listens on this machine only, unless it gets a hostname.
const store = createPlantStore(storage, staticTokens({ 'demo-token': 'demo' }))

// SIGTERM and SIGINT let the requests in flight finish, and close the file.
const { url } = await serve(store, { port: Number(process.env.PORT ?? 3000) })
console.log(`Plant store listening on ${url}`)
console.log(`Try: curl -H 'Authorization: Bearer demo-token' ${url}/plants`)
