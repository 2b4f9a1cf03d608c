import { expect, it } from 'vitest'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

const store = createPlantStore(memoryStorage(), staticTokens({ s3cret: 'alice' }))

async function errorOf(authorization: string) {
  const headers = { authorization }
  const response = await store.fetch(new Request('http://localhost/plants', { headers }))
  return (await response.json()).error
}

// The rule `token` of the adapter kit has those that a client may send by mistake.
it.each([
  'Bearer\ts3cret',
  'Bearer \ts3cret',
  'Bearer\xa0s3cret',
  'Bearer=s3cret',
  'Bearer%20s3cret',
  'Bearer token="s3cret"',
  `${Buffer.from('Bearеr').toString('latin1')} s3cret`,
])('The Authorization value %j has no token', async (value) => {
  expect(await errorOf(value)).toBe(40101)
})

it('An Authorization value is read in time, however long it is', async () => {
  for (const length of [100_000, 5_000_000]) {
    for (const value of ['Bearer ', `Bearer ${' '.repeat(length)}`, 'Bearer =']) {
      expect(await errorOf(value + 'x'.repeat(length))).toBeOneOf([40101, 40102])
    }
  }
})
