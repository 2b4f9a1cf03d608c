import { expect, it } from 'vitest'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

it('a verifier that changes the headers of its request, and reads its body, does no harm', async () => {
  const store = createPlantStore(memoryStorage(), async (_token, { request }) => {
    request.headers.set('content-type', 'text/plain')
    request.headers.delete('authorization')
    return { owner: `alice${await request.text()}` }
  })
  const response = await store.fetch(
    new Request('http://localhost/plants', {
      method: 'POST',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      body: '{"id":1,"name":"Monstera"}',
    }),
  )
  expect([response.status, await response.json()]).toEqual([200, { name: 'Monstera' }])
})
