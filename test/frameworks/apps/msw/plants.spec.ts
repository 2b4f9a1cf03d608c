import { http } from 'msw'
import { setupServer } from 'msw/node'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { createPlantClient } from 'plant-store/client'
import { memoryStorage } from 'plant-store/storage/memory'
import { afterAll, beforeAll, expect, it } from 'vitest'

const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))

// The front end's requests get the answers of a real store, without a server.
const server = setupServer(
  http.all('https://garden.example/plants*', ({ request }) => store.fetch(request)),
)

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterAll(() => server.close())

it('answers the front end as the store does', async () => {
  const plants = createPlantClient({ baseUrl: 'https://garden.example', token: 's3cret' })
  await plants.create({ id: 2n ** 63n - 1n, name: 'Monstera' })
  await plants.create({ id: 7n, name: 'Ficus' })
  await expect(plants.create({ id: 7n, name: 'Ficus' })).rejects.toMatchObject({
    code: 'duplicate_id',
  })
  const names: string[] = []
  for await (const { name } of plants.list({ limit: 1 })) names.push(name)
  expect(names).toEqual(['Ficus', 'Monstera'])
  await plants.delete(7n)
  expect((await plants.listPage()).plants).toEqual([{ name: 'Monstera' }])
})
