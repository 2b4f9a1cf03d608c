import { createServer } from 'node:http'
import Fastify from 'fastify'
import { createPlantStore, type PlantStoreOptions } from 'plant-store'
import { jwtVerifier } from 'plant-store/auth/jwt'
import { createPlantClient } from 'plant-store/client'
import { toFastifyPlugin } from 'plant-store/fastify'
import { toNodeHandler } from 'plant-store/node'
import { memoryStorage } from 'plant-store/storage/memory'

const issuer = 'https://login.example'
const verify = jwtVerifier({ jwks: `${issuer}/jwks`, issuer, audience: false })
// With exactOptionalPropertyTypes, an option that may be undefined must be assignable.
const options: PlantStoreOptions = {
  basePath: process.env.BASE_PATH,
  onResponse: ({ route, status, error, outcome }) => console.log(route, status, error, outcome),
}
const store = createPlantStore(memoryStorage(), verify, options)

createServer(toNodeHandler(store))
Fastify().register(toFastifyPlugin(store), { prefix: '/api' })
const client = createPlantClient({ fetch: store.fetch })
await client.create({ id: 7n, name: 'Monstera' })
// @ts-expect-error An id is a bigint.
await client.delete(7)
