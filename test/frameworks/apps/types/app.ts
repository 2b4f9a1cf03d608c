import { createServer } from 'node:http'
import Fastify from 'fastify'
import {
  type AuthVerifier,
  createPlantStore,
  type PlantStorage,
  type PlantStoreOptions,
  type StoredPlant,
} from 'plant-store'
import { jwtVerifier } from 'plant-store/auth/jwt'
import { createPlantClient, PlantStoreError } from 'plant-store/client'
import { toFastifyPlugin } from 'plant-store/fastify'
import { toNodeHandler } from 'plant-store/node'

const plants = new Map<bigint, StoredPlant>()

const storage: PlantStorage = {
  create: (_owner, plant) => !plants.has(plant.id) && !!plants.set(plant.id, plant),
  list: (_owner, { after, limit }) =>
    [...plants.values()].filter(({ id }) => after === undefined || id > after).slice(0, limit),
  delete: (_owner, id) => plants.delete(id),
}

const verify: AuthVerifier = async (token, { request }) =>
  token === 's3cret' && request.method !== 'DELETE' ? { owner: 'alice' } : null

// With exactOptionalPropertyTypes, an option that may be undefined must be assignable.
const origin = process.env.ORIGIN
const options: PlantStoreOptions = {
  basePath: process.env.BASE_PATH,
  cors: origin ? { origin: [origin] } : undefined,
  onResponse: ({ route, status, error, outcome }) => console.log(route, status, error, outcome),
}
const store = createPlantStore(storage, verify, options)

createServer(toNodeHandler(store))
Fastify().register(toFastifyPlugin(store), { prefix: '/api' })
jwtVerifier({
  jwks: 'https://login.example/jwks',
  issuer: 'https://login.example',
  audience: false,
})

const client = createPlantClient({
  baseUrl: 'http://localhost',
  token: 's3cret',
  fetch: store.fetch,
})
try {
  await client.create({ id: 7n, name: 'Monstera' })
  // @ts-expect-error An id is a bigint.
  await client.delete(7)
} catch (error) {
  if (!(error instanceof PlantStoreError && error.code === 'duplicate_id')) throw error
}
