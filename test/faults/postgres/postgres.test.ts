import { Pool as NeonPool } from '@neondatabase/serverless'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/plant-storage.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { useTcpForNeon } from '../../src/storage/neon-socket.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { describeServer, type Engine, type Way } from '../describe-server.ts'
import { createFaultyProxy } from '../proxy.ts'

async function createEngine(): Promise<Engine> {
  const server = await createPostgres()
  const { connection, start, stop } = server
  const proxy = await createFaultyProxy(connection.port)
  const pools: Pool[] = []
  const admin = new Pool(connection).on('error', () => {})

  function open({ isThroughProxy, size, silenceMs, statementMs }: Way = {}) {
    const pool = new Pool({
      ...connection,
      ...(isThroughProxy && proxy.address),
      ...(size && { max: size }),
      ...(silenceMs && { query_timeout: silenceMs }),
      ...(statementMs && { statement_timeout: statementMs, query_timeout: 5_000 }),
    })
    pools.push(pool)
    return postgresStorage(pool)
  }

  await open().migrate()
  return {
    ...{ connection, proxy, start, stop, open },
    remove: () => Promise.all([proxy.close(), server.remove(), admin.end()]),
    empty: () => admin.query('TRUNCATE plants'),
    async endPools() {
      for (const pool of pools.splice(0)) await pool.end()
    },
    async lock() {
      const blocker = await admin.connect()
      await blocker.query('BEGIN; LOCK TABLE plants')
      return async () => {
        await blocker.query('ROLLBACK')
        blocker.release()
      }
    },
    async countWaiting() {
      const { rows } = await admin.query(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE query LIKE 'INSERT%'",
      )
      return rows[0].waiting
    },
  }
}

describeServer('PostgreSQL', false, createEngine, (engine, emptyStorage) => {
  it('a list whose reply is lost is sent once more', async () => {
    const storage = await emptyStorage({ isThroughProxy: true })
    await storage.create('alice', { id: 1n, name: 'Fern' })
    engine().proxy.swallowReplies(1)
    expect(await storage.list('alice', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
    engine().proxy.swallowReplies(2)
    await expect(storage.list('alice', { limit: 2 })).rejects.toThrow(StorageUnavailableError)
  })

  it('Neon’s driver is unavailable during an outage, and works again afterwards', async () => {
    useTcpForNeon()
    const { connection, stop, start } = engine()
    const pool = new NeonPool({ ...connection, ssl: false })
    const storage = postgresStorage(pool)
    try {
      await storage.create('neon', { id: 1n, name: 'Fern' })
      await stop()
      try {
        await expect(storage.list('neon', { limit: 1 })).rejects.toThrow(StorageUnavailableError)
      } finally {
        await start()
      }
      expect(await storage.list('neon', { limit: 2 })).toEqual([{ id: 1n, name: 'Fern' }])
    } finally {
      await pool.end()
    }
  })
})
