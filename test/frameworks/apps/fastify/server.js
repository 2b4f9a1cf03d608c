import Fastify from 'fastify'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { toFastifyPlugin } from 'plant-store/fastify'
import { sqliteStorage } from 'plant-store/storage/sqlite'

const store = createPlantStore(
  sqliteStorage(process.env.PLANT_STORE_DB ?? 'plants.db'),
  staticTokens({ s3cret: 'alice' }),
  {
    onResponse: ({ method, status, outcome }) => console.log(method, status, outcome),
  },
)

const app = Fastify()
app.register(toFastifyPlugin(store), { prefix: '/api' })
await app.listen({ port: Number(process.env.PORT ?? 3000) })
