// The plant store in an Express app, under a path of its own:
//
//   node examples/express.ts        (with Node 22.18 or newer, else npx node; PORT is 3000 by default)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/api/v1/plants
//
// In a project of your own, import from 'plant-store', 'plant-store/express', 'plant-store/node' and so on.
import express from 'express'
import { toExpressHandler } from '../adapters/express.ts'
import { enableGracefulClose } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { memoryStorage } from '../src/storage/memory.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ 'demo-token': 'demo' }))
const app = express()

// Before express.json(): a body parser would round ids beyond 2^53, and they would be refused.
app.use('/api/v1', toExpressHandler(store))
app.use(express.json())

app.get('/', (_request, response) => {
  response.send('The plants are at /api/v1/plants.\n')
})

const server = app.listen(Number(process.env.PORT || 3000), '127.0.0.1', (error) => {
  if (error) throw error
  const address = server.address() as { port: number }
  console.log(`Listening on http://127.0.0.1:${address.port}/api/v1/plants`)
})

// SIGTERM and SIGINT finish the requests in flight, and close the store.
enableGracefulClose(server, store)
