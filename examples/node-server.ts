// The plant store as a server on SQLite, with its OpenAPI document and a health check beside it:
//
//   node examples/node-server.ts        (PORT is 3000 by default, PLANT_STORE_DB plants.db)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/plants
//
// In your project, import from 'plant-store', 'plant-store/node', 'plant-store/auth/tokens' and so on.
import { serve } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore, type Reply } from '../src/index.ts'
import { openApiDocument } from '../src/openapi.ts'
import { sqliteStorage } from '../src/storage/sqlite.ts'

// An empty variable is as good as none.
const storage = sqliteStorage(process.env.PLANT_STORE_DB || 'plants.db')
// Everybody knows this token. serve() listens on this machine only, unless it gets a hostname.
const store = createPlantStore(storage, staticTokens({ 'demo-token': 'demo' }))

const json = { 'content-type': 'application/json' }
const others: Record<string, Reply> = {
  '/livez': { status: 200, headers: {}, body: null },
  '/openapi.json': { status: 200, headers: json, body: JSON.stringify(openApiDocument()) },
}
const handle: typeof store.handle = async (request) => others[request.url] ?? store.handle(request)

// SIGTERM and SIGINT let the requests in flight finish, and close the file.
const port = Number(process.env.PORT || 3000)
const { url } = await serve({ ...store, handle }, { port })
console.log(`Plant store listening on ${url}`)
console.log(`Try: curl -H 'Authorization: Bearer demo-token' ${url}/plants`)
