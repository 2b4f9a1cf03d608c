import { describe, expect, it } from '@jest/globals'
import { createPlantStore } from 'plant-store'
import { staticTokens } from 'plant-store/auth/tokens'
import { memoryStorage } from 'plant-store/storage/memory'
import { testPlantStorage } from 'plant-store/testing'

testPlantStorage({ describe, it }, () => memoryStorage())

describe('the API', () => {
  it('creates and lists plants', async () => {
    const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))
    const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' }
    const body = '{"id":9007199254740993,"name":"Monstera"}'
    const plants = 'http://localhost/plants'
    const created = await store.fetch(new Request(plants, { method: 'POST', headers, body }))
    expect(created.status).toBe(200)
    const listed = await store.fetch(new Request(plants, { headers }))
    expect(await listed.json()).toEqual([{ name: 'Monstera' }])
  })
})
