// The plant store in a Fastify app, as a plugin with a prefix of its own:
//
//   node examples/fastify.ts        (with Node 22.18 or newer, else npx node; PORT is 3000 by default)
//   curl -H 'Authorization: Bearer demo-token' http://localhost:3000/api/v1/plants
//
// In a project of your own, import from 'plant-store', 'plant-store/fastify', 'plant-store/node' and so on.
import Fastify from 'fastify'
import { toFastifyPlugin } from '../adapters/fastify.ts'
import { enableGracefulClose } from '../adapters/node.ts'
import { staticTokens } from '../src/auth/tokens.ts'
import { createPlantStore } from '../src/index.ts'
import { memoryStorage } from '../src/storage/memory.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ 'demo-token': 'demo' }))
const app = Fastify()

// The app's hooks run for these routes too, and its parsers for the others only.
app.addHook('onResponse', async ({ method, url }, { statusCode }) => {
  console.log(method, url, statusCode)
})
app.register(toFastifyPlugin(store), { prefix: '/api/v1' })
app.get('/', async () => 'The plants are at /api/v1/plants.\n')

// SIGTERM and SIGINT finish the requests in flight, and close the store.
app.addHook('onClose', () => store.close())
enableGracefulClose(app.server, app)

const url = await app.listen({ port: Number(process.env.PORT || 3000), host: '127.0.0.1' })
console.log(`Listening on ${url}/api/v1/plants`)
