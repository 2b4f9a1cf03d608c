import { afterAll, describe, expect, it } from 'vitest'
import { guideFiles } from '../docs/guides/guide-files.ts'
import { askWith } from '../shared/ask.ts'

const importFile = guideFiles('docs/sign-in/api-keys.md', (code) =>
  code
    .replace("'keys.db'", "':memory:'")
    .replaceAll(/^const (database|hash)\b/gm, 'export const $1'),
)
const { database, hash, issueKey, verify } = await importFile('api-keys.mts')
afterAll(() => database.close())
const ask = askWith(verify)

describe('API keys', () => {
  it('lets a key do what it is for', async () => {
    const key = issueKey('alice', ['plants:read'])
    expect(await ask(key)).toBe(200)
    expect(await ask(key, {}, 'POST')).toBe(403)
    expect(await ask(issueKey('alice', ['plants:write']), {}, 'GET')).toBe(403)
  })

  it('lets nobody in with an invented, an expired or a deleted key, nor with what the table holds', async () => {
    expect(await ask('plants_invented')).toBe(401)
    expect(await ask(issueKey('alice', ['plants:read'], Date.now() - 1))).toBe(401)
    const key = issueKey('alice', ['plants:read'], Date.now() + 60_000)
    expect(await ask(key)).toBe(200)
    expect(await ask(hash(key))).toBe(401)
    database.prepare('DELETE FROM api_keys WHERE hash = ?').run(hash(key))
    expect(await ask(key)).toBe(401)
  })
})
