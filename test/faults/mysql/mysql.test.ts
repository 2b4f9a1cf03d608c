import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { createPlantStore } from '../../../src/plant-store.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { skipBecause } from '../../shared/skip.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { startLoad } from '../load.ts'
import { createFaultyProxy, type FaultyProxy } from '../proxy.ts'

// The number of times that each fault is injected.
// For a soak of an hour: FAULT_ROUNDS=500 npx vitest run test/faults/mysql
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3)
const plant = { id: 1n, name: 'Fern' }

let server: MariadbServer
let proxy: FaultyProxy
const pools: Pool[] = []

beforeAll(async () => {
  if (NO_MARIADB) return
  server = await createMariadb()
  await server.start()
  proxy = await createFaultyProxy(server.connection.port, 'mysql')
  await mysqlStorage(poolOf({})).migrate()
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end()
})
afterAll(async () => {
  await proxy?.close()
  await server?.remove()
})

function poolOf(config: PoolOptions): Pool {
  const pool = createPool({ ...server.connection, ...config })
  pools.push(pool)
  return pool
}

async function emptyStorage(config: PoolOptions = {}): Promise<PlantStorage> {
  await server.run('DELETE FROM app.plants')
  return mysqlStorage(poolOf(config))
}

describe('on MariaDB', () => {
  skipBecause(NO_MARIADB)

  it('nothing is wrong under load when the server restarts', async () => {
    const load = startLoad(await emptyStorage())
    for (let round = 0; round < ROUNDS; round++) {
      await load.answered(500)
      await server.stop()
      await server.start()
    }
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
  })

  it('nothing is wrong when connections break between commit and reply', async () => {
    const load = startLoad(await emptyStorage(proxy.address))
    for (let round = 0; round < ROUNDS; round++) {
      await load.answered(300)
      proxy.swallowReplies(8)
    }
    await load.answered(300)
    const { unknown, violations } = await load.finish()
    expect(violations).toEqual([])
    expect(unknown).toBeGreaterThan(0)
  })

  it('a create or delete whose reply is lost is not sent again', async () => {
    const storage = await emptyStorage()
    const throughProxy = mysqlStorage(poolOf({ ...proxy.address, connectionLimit: 1 }))
    await throughProxy.list('alice', { limit: 1 })
    proxy.swallowReplies(1)
    await expect(throughProxy.create('alice', plant)).rejects.toThrow(StorageUnavailableError)
    expect(await storage.list('alice', { limit: 2 })).toEqual([plant])
    expect(await throughProxy.create('alice', plant)).toBe(false)

    proxy.swallowReplies(1)
    await expect(throughProxy.delete('alice', 1n)).rejects.toThrow(StorageUnavailableError)
    expect(await storage.list('alice', { limit: 2 })).toEqual([])
    expect(await throughProxy.delete('alice', 1n)).toBe(false)
  })

  it('a list whose connection breaks is sent again, once', async () => {
    const storage = await emptyStorage({ ...proxy.address, connectionLimit: 1 })
    await storage.create('alice', plant)
    proxy.cut()
    expect(await storage.list('alice', { limit: 2 })).toEqual([plant])
  })

  it('a connection that falls silent is dropped as the guide says, and the next call gets a new one', async () => {
    const storage = await emptyStorage({ ...proxy.address, connectionLimit: 1 })
    pools
      .at(-1)!
      .on('connection', ({ stream }: any) =>
        stream.setTimeout(200, () => stream.destroy(new Error('MySQL did not respond in time'))),
      )
    await storage.list('alice', { limit: 1 })
    proxy.silence()
    await expect(storage.create('alice', plant)).rejects.toThrow(StorageUnavailableError)
    expect(await storage.create('alice', plant)).toBe(true)
  })

  it('a lock held for long keeps no more statements on the server than the pool has connections', async () => {
    const pool = poolOf({ connectionLimit: 2 })
    pool.on('connection', (connection: any) => connection.query('SET max_statement_time = 0.1'))
    await server.run('DELETE FROM app.plants')
    const storage = mysqlStorage(pool)
    await storage.list('alice', { limit: 1 })
    const blocker = await poolOf({}).getConnection()
    await blocker.query('LOCK TABLES plants WRITE')
    for (let round = 0; round < 5; round++) {
      const creates = [1n, 2n, 3n].map((id) => storage.create('alice', { id, name: 'Fern' }))
      for (const { reason } of (await Promise.allSettled(creates)) as PromiseRejectedResult[]) {
        expect(reason).toBeInstanceOf(StorageUnavailableError)
      }
    }
    const [{ waiting }] = await server.run(
      "SELECT count(*) AS waiting FROM information_schema.PROCESSLIST WHERE info LIKE 'INSERT%'",
    )
    expect(waiting).toBeLessThanOrEqual(2)
    await blocker.query('UNLOCK TABLES')
    blocker.release()
    expect(await storage.create('alice', plant)).toBe(true)
  })

  it('an outage is 503 with Retry-After until the server is back, over HTTP', async () => {
    const errors: unknown[] = []
    const store = createPlantStore(await emptyStorage(), () => ({ owner: 'alice' }), {
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
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(errors).toHaveLength(3)
    expect(errors[0]).toBeInstanceOf(StorageUnavailableError)
  })

  it('several processes agree on which of them created and deleted each plant', async () => {
    await emptyStorage()
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
