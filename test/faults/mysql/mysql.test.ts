import { createPool, type Pool } from 'mysql2/promise'
import { expect, it } from 'vitest'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { createMariadb, NO_MARIADB } from '../../src/storage/mariadb-server.ts'
import { describeServer, type Engine, type Way } from '../describe-server.ts'
import { createFaultyProxy } from '../proxy.ts'

async function createEngine(): Promise<Engine> {
  const server = await createMariadb()
  const { connection, start, stop, run } = server
  const proxy = await createFaultyProxy(connection.port, 'mysql')
  const pools: Pool[] = []

  function open({ isThroughProxy, size, silenceMs, statementMs }: Way = {}) {
    const address = isThroughProxy && proxy.address
    const pool = createPool({ ...connection, ...address, ...(size && { connectionLimit: size }) })
    pools.push(pool)
    pool.on('connection', (connection: any) => {
      if (statementMs) connection.query(`SET max_statement_time = ${statementMs / 1000}`)
      const late = () => connection.stream.destroy(new Error('MySQL did not respond in time'))
      if (silenceMs) connection.stream.setTimeout(silenceMs, late)
    })
    return mysqlStorage(pool)
  }

  await open().migrate()
  return {
    ...{ connection, proxy, start, stop, open },
    remove: () => Promise.all([proxy.close(), server.remove()]),
    empty: () => run('DELETE FROM app.plants'),
    async endPools() {
      for (const pool of pools.splice(0)) await pool.end()
    },
    async lock() {
      const pool = createPool(connection)
      const blocker = await pool.getConnection()
      await blocker.query('LOCK TABLES plants WRITE')
      return () => pool.end()
    },
    async countWaiting() {
      const [{ waiting }] = await run(
        "SELECT count(*) AS waiting FROM information_schema.PROCESSLIST WHERE info LIKE 'INSERT%'",
      )
      return waiting
    },
  }
}

describeServer('MariaDB', NO_MARIADB, createEngine, (engine, emptyStorage) => {
  it('a list whose connection breaks is sent again, once', async () => {
    const storage = await emptyStorage({ isThroughProxy: true, size: 1 })
    await storage.create('alice', { id: 1n, name: 'Fern' })
    engine().proxy.cut()
    expect(await storage.list('alice', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
  })
})
