import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Pool as NeonPool } from '@neondatabase/serverless'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { useTcpForNeon } from '../../src/storage/neon-socket.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'
import { startLoad } from '../load.ts'
import { createFaultyProxy, type FaultyProxy } from '../proxy.ts'

// The number of times that each fault is injected.
// For a soak of an hour: FAULT_ROUNDS=500 npx vitest run test/faults/postgres
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3)

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
    const load = startLoad(await emptyStorage(poolOf({})))
    for (let round = 0; round < ROUNDS; round++) {
      await load.answered(500)
      await server.stop()
      await server.start()
    }
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
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
    const load = startLoad(await emptyStorage(poolOf(proxy.address)))
    for (let round = 0; round < ROUNDS; round++) {
      await load.answered(300)
      proxy.swallowReplies(8)
    }
    await load.answered(300)
    const { unknown, violations } = await load.finish()
    expect(violations).toEqual([])
    expect(unknown).toBeGreaterThan(0)
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
    const errors: unknown[] = []
    const store = createPlantStore(await emptyStorage(poolOf({})), () => ({ owner: 'alice' }), {
      onError: (error) => void errors.push(error),
    })
    const create = (id: number) =>
      store.fetch(
        new Request('http://localhost/plants', {
          method: 'POST',
          headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
          body: JSON.stringify({ id, name: 'Fern' }),
        }),
      )

    expect((await create(1)).status).toBe(200)
    await server.stop()
    const during = await Promise.all([2, 3, 4].map(create)).finally(server.start)
    const after = await Promise.all([5, 6, 7].map(create))

    expect(during.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(during.map(({ headers }) => headers.get('retry-after'))).toEqual(['1', '1', '1'])
    expect(await during[0]!.json()).toMatchObject({ error: 50301 })
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(errors).toHaveLength(3)
    expect(errors[0]).toBeInstanceOf(StorageUnavailableError)
  })
})

describe('several processes', () => {
  it('agree on which of them created and deleted each plant', async () => {
    await emptyStorage(poolOf({}))
    const script = new URL('process.ts', import.meta.url)
    const processes = [1, 2, 3].map((name) =>
      fork(script, [String(name), JSON.stringify(server.connection)]),
    )
    const reports = async () => {
      const messages = await Promise.all(processes.map((child) => once(child, 'message')))
      return messages.flatMap(([ids]) => ids as string[]).sort((a, b) => Number(a) - Number(b))
    }
    const exits = processes.map((child) => once(child, 'exit'))
    const all = Array.from({ length: 200 }, (_, id) => String(id))
    try {
      expect(await reports()).toEqual(all)
      for (const child of processes) child.send('delete')
      expect(await reports()).toEqual(all)
      await Promise.all(exits)
    } finally {
      for (const child of processes) child.kill()
    }
  })
})
