import { describe, expect, it } from 'vitest'
import { staticTokens } from '../../src/auth/tokens.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

// Padding and all characters of token68: what is right in one place must be right in all.
const TOKEN = 's3cret-._~+/==' as const

const store = createPlantStore(memoryStorage(), staticTokens({ [TOKEN]: 'alice' }))

async function errorOf(authorization: string) {
  const headers = { authorization }
  const response = await store.fetch(new Request('http://localhost/plants', { headers }))
  return response.status === 200 ? undefined : (await response.json()).error
}

// The rule `token` of the adapter kit has more of them.
describe('Authorization', () => {
  it.each([
    ['as it should be', `Bearer ${TOKEN}`],
    ['1000 spaces', `Bearer${' '.repeat(1000)}${TOKEN}`],
    ['space around', ` \t Bearer ${TOKEN} \t `],
  ])('lets the caller in: %s', async (_, value) => {
    expect(await errorOf(value)).toBeUndefined()
  })

  it.each([
    ['a tab', `Bearer\t${TOKEN}`],
    ['a space and a tab', `Bearer \t${TOKEN}`],
    ['a non-breaking space', `Bearer\xa0${TOKEN}`],
    ['no space', `Bearer${TOKEN}`],
    ['an equals sign', `Bearer=${TOKEN}`],
    ['another scheme', `DPoP ${TOKEN}`],
    ['%20 for a space', `Bearer%20${TOKEN}`],
    ['a parameter for the token', `Bearer token="${TOKEN}"`],
    ['a scheme in UTF-8', `${Buffer.from('Bearеr').toString('latin1')} ${TOKEN}`],
  ])('has no token: %s', async (_, value) => {
    expect(await errorOf(value)).toBe(40101)
  })

  it('is read in time, however long it is', async () => {
    for (const length of [100_000, 5_000_000]) {
      for (const value of ['Bearer ', `Bearer ${' '.repeat(length)}`, 'Bearer =']) {
        expect(await errorOf(value + 'x'.repeat(length))).toBeOneOf([40101, 40102])
      }
    }
  })
})
