// Runs the contract of a storage on Bun's own SQL client: bun test bun-sql.ts, with DATABASE_URL. Then, what becomes of a
// server that refuses writes, and of connections that end.
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'

// A name that tsc doesn't look up, since Bun's types are not installed.
const { describe, expect, it } = await import('bun:test' as string)
const { SQL } = (globalThis as any).Bun

const url = process.env.DATABASE_URL!
const isMysql = url.startsWith('mysql:')

function open(max: number, server = url) {
  const sql = new SQL(server, { max, connectionTimeout: 2 })
  const storage = isMysql
    ? mysqlStorage({
        execute: async ({ sql: text }, values) => [await sql.unsafe(text, values)],
      })
    : postgresStorage({
        query: async (text, values) => ({ rows: await sql.unsafe(text, values) }),
      })
  return { sql, storage }
}

const { sql, storage } = open(8)
const unavailable = expect.objectContaining({ code: 'storage_unavailable' })
const errorOf = (result: unknown) => Promise.resolve(result).catch((error) => error)

describe('On the SQL client of Bun', () => {
  testPlantStorage({ describe, it }, async () => {
    await storage.migrate()
    return storage
  })

  it('a server that refuses writes is unavailable', async () => {
    const one = open(1)
    const readOnly = isMysql
      ? 'SET SESSION TRANSACTION READ ONLY'
      : 'SET default_transaction_read_only = on'
    await one.sql.unsafe(readOnly)
    expect(await errorOf(one.storage.create('alice', { id: 1n, name: 'Fern' }))).toEqual(
      unavailable,
    )
    await one.sql.close()
  })

  it('a connection that the server has ended is replaced', async () => {
    const one = open(1)
    await one.storage.list('alice', { limit: 1 })
    const [{ id }] = await one.sql.unsafe(
      `SELECT ${isMysql ? 'CONNECTION_ID()' : 'pg_backend_pid()'} AS id`,
    )
    await sql.unsafe(isMysql ? `KILL ${id}` : `SELECT pg_terminate_backend(${id})`)
    await errorOf(one.storage.create('alice', { id: 1n, name: 'Fern' }))
    expect(await one.storage.delete('alice', 2n)).toBe(false)
    await one.sql.close()
  })

  it('a server that refuses connections is unavailable', async () => {
    const nobody = open(1, url.replace(/:\d+\//, ':1/'))
    expect(await errorOf(nobody.storage.list('alice', { limit: 1 }))).toEqual(unavailable)
  })
})
