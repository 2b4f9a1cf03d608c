import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { skipBecause } from '../../shared/skip.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { createFaultyProxy, type FaultyProxy } from '../proxy.ts'
import { checkLostReplies, checkOutage, checkProcesses, checkRestarts } from '../server-checks.ts'

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
    await checkRestarts(await emptyStorage(), server)
  })

  it('nothing is wrong when connections break between commit and reply', async () => {
    await checkLostReplies(await emptyStorage(proxy.address), proxy)
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
    await checkOutage(await emptyStorage(), server)
  })

  it('several processes agree on which of them created and deleted each plant', async () => {
    await emptyStorage()
    await checkProcesses(new URL('process.ts', import.meta.url), server.connection)
  })
})
