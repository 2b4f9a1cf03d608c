import { Pool as NeonPool } from '@neondatabase/serverless'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { useTcpForNeon } from '../../src/storage/neon-socket.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'
import { startLoad } from '../load.ts'
import { createFaultyProxy, type FaultyProxy } from '../proxy.ts'
import {
  checkLostReplies,
  checkOutage,
  checkProcesses,
  checkRestarts,
  ROUNDS,
} from '../server-checks.ts'

let server: PostgresServer
const pools: Pool[] = []

beforeAll(async () => {
  server = await createPostgres()
  await server.start()
  await postgresStorage(poolOf(server.connection)).migrate()
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end()
})
afterAll(() => server.remove())

function poolOf(config: PoolConfig): Pool {
  const pool = new Pool({ ...server.connection, ...config })
  pools.push(pool)
  return pool
}

async function emptyStorage(pool: Pool): Promise<PlantStorage> {
  await pool.query('TRUNCATE plants')
  return postgresStorage(pool)
}

describe('the storage under load', () => {
  it('reports nothing wrong when all connections are terminated', async () => {
    const load = startLoad(await emptyStorage(poolOf({})))
    const admin = poolOf({ max: 1, application_name: 'admin' })
    for (let round = 0; round < ROUNDS; round++) {
      await load.answered(500)
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> $1 AND usename = $2',
        ['admin', 'postgres'],
      )
    }
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
  })

  it('reports nothing wrong when the server restarts', async () => {
    await checkRestarts(await emptyStorage(poolOf({})), server)
  })
})

describe('a connection that breaks between commit and reply', () => {
  let proxy: FaultyProxy
  beforeAll(async () => {
    proxy = await createFaultyProxy(server.connection.port)
  })
  afterAll(() => proxy.close())

  it('leaves the outcome of a create unknown, and the create is not retried', async () => {
    const storage = await emptyStorage(poolOf({}))
    const throughProxy = postgresStorage(poolOf(proxy.address))
    await throughProxy.list('alice', { limit: 1 })

    proxy.swallowReplies(1)
    const create = throughProxy.create('alice', { id: 1n, name: 'Fern' })
    await expect(create).rejects.toThrow(StorageUnavailableError)

    expect(await storage.list('alice', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
    expect(await throughProxy.create('alice', { id: 1n, name: 'Fern' })).toBe(false)
  })

  it('is another one for a list, which is sent once more', async () => {
    const storage = await emptyStorage(poolOf(proxy.address))
    await storage.create('alice', { id: 1n, name: 'Fern' })
    proxy.swallowReplies(1)
    expect(await storage.list('alice', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
    proxy.swallowReplies(2)
    await expect(storage.list('alice', { limit: 2 })).rejects.toThrow(StorageUnavailableError)
  })

  it('leaves the outcome of a delete unknown, and the delete is not retried', async () => {
    const storage = await emptyStorage(poolOf({}))
    const throughProxy = postgresStorage(poolOf(proxy.address))
    await throughProxy.create('alice', { id: 1n, name: 'Fern' })

    proxy.swallowReplies(1)
    await expect(throughProxy.delete('alice', 1n)).rejects.toThrow(StorageUnavailableError)

    expect(await storage.list('alice', { limit: 2 })).toEqual([])
    expect(await throughProxy.delete('alice', 1n)).toBe(false)
  })

  it('reports nothing wrong under load', async () => {
    await checkLostReplies(await emptyStorage(poolOf(proxy.address)), proxy)
  })
})

describe('a connection that falls silent', () => {
  it('is dropped after query_timeout, and the next call gets a new one', async () => {
    const proxy = await createFaultyProxy(server.connection.port)
    const timeouts = { statement_timeout: 150, query_timeout: 200 }
    const pool = new Pool({ ...server.connection, ...proxy.address, ...timeouts, max: 1 })
    const storage = postgresStorage(pool)
    try {
      await pool.query('TRUNCATE plants')
      proxy.silence()
      const create = storage.create('alice', { id: 1n, name: 'Fern' })
      await expect(create).rejects.toThrow(StorageUnavailableError)
      expect(await storage.create('alice', { id: 1n, name: 'Fern' })).toBe(true)
    } finally {
      await pool.end()
      await proxy.close()
    }
  })
})

describe('a lock held for long', () => {
  it('keeps no more statements waiting on the server than the pool has connections', async () => {
    const timeouts = { statement_timeout: 100, query_timeout: 5_000 }
    const pool = poolOf({ ...timeouts, max: 2, application_name: 'waiting' })
    const storage = await emptyStorage(pool)
    const blocker = await poolOf({ max: 1 }).connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE plants')
      for (let round = 0; round < 5; round++) {
        const creates = [1n, 2n].map((id) => storage.create('alice', { id, name: 'Fern' }))
        for (const { reason } of (await Promise.allSettled(creates)) as PromiseRejectedResult[]) {
          expect(reason).toBeInstanceOf(StorageUnavailableError)
        }
      }
      const { rows } = await blocker.query(
        "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name = 'waiting'",
      )
      expect(rows[0].connections).toBeLessThanOrEqual(2)
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
    expect(await storage.create('alice', { id: 1n, name: 'Fern' })).toBe(true)
  })
})

describe('Neon’s driver', () => {
  it('is unavailable during an outage, and works again afterwards', async () => {
    useTcpForNeon()
    const pool = new NeonPool({ ...server.connection, ssl: false })
    const storage = postgresStorage(pool)
    try {
      await storage.create('neon', { id: 1n, name: 'Fern' })
      await server.stop()
      try {
        await expect(storage.list('neon', { limit: 1 })).rejects.toThrow(StorageUnavailableError)
      } finally {
        await server.start()
      }
      expect(await storage.list('neon', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
    } finally {
      await pool.end()
    }
  })
})

describe('over HTTP', () => {
  it('an outage is 503 with Retry-After until PostgreSQL is back', async () => {
    await checkOutage(await emptyStorage(poolOf({})), server)
  })
})

describe('several processes', () => {
  it('agree on which of them created and deleted each plant', async () => {
    await emptyStorage(poolOf({}))
    await checkProcesses(new URL('process.ts', import.meta.url), server.connection)
  })
})
