import { createHash, randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import type { AuthVerifier, Scope } from 'plant-store'

const database = new DatabaseSync('keys.db')
database.exec(`CREATE TABLE IF NOT EXISTS api_keys (
  hash TEXT PRIMARY KEY, owner TEXT NOT NULL, scopes TEXT NOT NULL, expires_at INTEGER
) STRICT, WITHOUT ROWID`)
const find = database.prepare('SELECT owner, scopes, expires_at FROM api_keys WHERE hash = ?')
const insert = database.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?)')
const hash = (key: string) => createHash('sha256').update(key).digest('hex')

export const verify: AuthVerifier = (token) => {
  const key = find.get(hash(token))
  if (!key || Number(key.expires_at ?? Number.POSITIVE_INFINITY) <= Date.now()) return null
  return { owner: String(key.owner), scopes: JSON.parse(String(key.scopes)) as Scope[] }
}

/** Creates a key. Show it to its owner once: only its hash is kept. */
export function issueKey(owner: string, scopes: Scope[], expiresAt: number | null = null): string {
  const key = `plants_${randomBytes(32).toString('base64url')}`
  insert.run(hash(key), owner, JSON.stringify(scopes), expiresAt)
  return key
}
