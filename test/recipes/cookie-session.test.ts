import { describe, expect, it } from 'vitest'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { listening } from '../shared/listening.ts'

const { caller } = await guideFiles('docs/recipes/cookie-session.md', (code) =>
  code.replace(
    /declare const sessions.*/,
    'const sessions = { find: async (id) => (id === "a1" ? { userId: "alice" } : undefined) }',
  ),
)('cookie-session.mts')
const store = createPlantStore(memoryStorage(), () => ({ owner: 'of the token' }))

async function statusOf(headers: Record<string, string>) {
  const { url } = await listening(toNodeHandler(store, { caller }))
  return (await fetch(`${url}/plants`, { headers })).status
}

describe('A cookie session', () => {
  it('opens the plants of its user, and nothing else does', async () => {
    expect(await statusOf({ cookie: 'theme=dark; __Host-session=a1' })).toBe(200)
    expect(await statusOf({ cookie: '__Host-session=b2' })).toBe(401)
    expect(await statusOf({ cookie: 'x__Host-session=a1' })).toBe(401)
    expect(await statusOf({ authorization: 'Bearer a1' })).toBe(401)
  })
})
