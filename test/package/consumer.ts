import { createPlantStore, type PlantStorage } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { createPlantClient } from 'plant-store/client'
import { memoryStorage } from 'plant-store/storage/memory'

const storage: PlantStorage = memoryStorage()
const store = createPlantStore(storage, staticTokens({ s3cret: 'alice' }))

const client = createPlantClient({
  baseUrl: 'http://localhost',
  token: 's3cret',
  fetch: store.fetch,
})
await client.create({ id: 9223372036854775807n, name: 'Monstera' })

const response = await store.fetch(
  new Request('http://localhost/plants', { headers: { authorization: 'Bearer s3cret' } }),
)
console.log(response.status, await response.text())
