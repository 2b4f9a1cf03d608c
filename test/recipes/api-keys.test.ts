import { createHash, randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import type { AuthVerifier, Scope } from '../../src/auth-verifier.ts'
import { askWith } from './ask.ts'

const database = new DatabaseSync(':memory:')
afterAll(() => database.close())

database.exec(`CREATE TABLE api_keys (
  hash TEXT PRIMARY KEY, owner TEXT NOT NULL, scopes TEXT NOT NULL, expires_at INTEGER
) STRICT, WITHOUT ROWID`)

// A plain SHA-256 is enough for 32 random bytes; it takes a slow hash for what people make up.
const hash = (key: string) => createHash('sha256').update(key).digest('hex')

function issueKey(owner: string, scopes: Scope[], expiresAt: number | null = null): string {
  const key = `plants_${randomBytes(32).toString('base64url')}`
  database
    .prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?)')
    .run(hash(key), owner, JSON.stringify(scopes), expiresAt)
  return key
}

const find = database.prepare('SELECT owner, scopes, expires_at FROM api_keys WHERE hash = ?')
const verify: AuthVerifier = (token) => {
  const key = find.get(hash(token)) as
    | { owner: string; scopes: string; expires_at: number | null }
    | undefined
  if (!key || (key.expires_at ?? Number.POSITIVE_INFINITY) <= Date.now()) return null
  return { owner: key.owner, scopes: JSON.parse(key.scopes) }
}
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
