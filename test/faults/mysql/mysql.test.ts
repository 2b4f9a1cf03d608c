import { createPool, type Pool } from 'mysql2/promise'
import { expect, it } from 'vitest'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { createMariadb, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { describeServer, type Engine, fern, type Way } from '../describe-server.ts'
import { createFaultyProxy } from '../proxy.ts'

async function createEngine(): Promise<Engine> {
  const server = await createMariadb()
  const proxy = await createFaultyProxy(server.connection.port, 'mysql')
  const pools: Pool[] = []

  function open({ size, silenceMs }: Way = {}) {
    const limit = size && { connectionLimit: size }
    const pool = createPool({ ...server.connection, ...proxy.address, ...limit })
    pools.push(pool)
    pool.on('connection', ({ stream }: any) => {
      const late = () => stream.destroy(new Error('MySQL did not respond in time'))
      if (silenceMs) stream.setTimeout(silenceMs, late)
    })
    return mysqlStorage(pool)
  }

  await open().migrate()
  return {
    ...{ proxy, open },
    remove: () => Promise.all([proxy.close(), server.remove()]),
    empty: () => server.run('DELETE FROM app.plants'),
    async endPools() {
      for (const pool of pools.splice(0)) await pool.end()
    },
  }
}

describeServer('MariaDB', NO_MARIADB, createEngine, (engine, emptyStorage) => {
  it('a list whose connection breaks is sent again, once', async () => {
    const storage = await emptyStorage({ size: 1 })
    await storage.create('alice', fern)
    engine().proxy.cut()
    expect(await storage.list('alice', { limit: 2 })).toEqual([fern])
  })
})
