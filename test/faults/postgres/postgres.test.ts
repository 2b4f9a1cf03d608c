import { Pool as NeonPool } from '@neondatabase/serverless'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { useTcpForNeon } from '../../src/storage/neon-socket.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { describeServer, type Engine, fern, type Way } from '../describe-server.ts'
import { createFaultyProxy } from '../proxy.ts'

async function createEngine() {
  const server = await createPostgres()
  const proxy = await createFaultyProxy(server.connection.port)
  const pools: Pool[] = []
  const admin = new Pool(server.connection).on('error', () => {})

  function open({ size, silenceMs }: Way = {}) {
    const pool = new Pool({
      ...server.connection,
      ...proxy.address,
      ...(size && { max: size }),
      ...(silenceMs && { query_timeout: silenceMs }),
    })
    pools.push(pool)
    return postgresStorage(pool)
  }

  await open().migrate()
  return {
    ...{ server, proxy, open },
    remove: () => Promise.all([proxy.close(), server.remove(), admin.end()]),
    empty: () => admin.query('TRUNCATE plants'),
    async endPools() {
      for (const pool of pools.splice(0)) await pool.end()
    },
  } satisfies Engine
}

describeServer('PostgreSQL', false, createEngine, (engine, emptyStorage) => {
  it('a list whose reply is lost is sent once more', async () => {
    const storage = await emptyStorage()
    await storage.create('alice', fern)
    engine().proxy.swallowReplies(1)
    expect(await storage.list('alice', { limit: 2 })).toEqual([fern])
    engine().proxy.swallowReplies(2)
    await expect(storage.list('alice', { limit: 2 })).rejects.toThrow(StorageUnavailableError)
  })

  it('Neon’s driver is unavailable during an outage, and works again afterwards', async () => {
    useTcpForNeon()
    const { server } = engine()
    const pool = new NeonPool({ ...server.connection, ssl: false })
    const storage = postgresStorage(pool)
    try {
      await storage.create('neon', fern)
      await server.stop()
      try {
        await expect(storage.list('neon', { limit: 1 })).rejects.toThrow(StorageUnavailableError)
      } finally {
        await server.start()
      }
      expect(await storage.list('neon', { limit: 2 })).toEqual([fern])
    } finally {
      await pool.end()
    }
  })
})
