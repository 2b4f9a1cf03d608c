import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createPostgres, type PostgresServer } from './postgres-server.ts'

/** Runs a PostgreSQL server during the tests of this file. */
export function usePostgres() {
  let server: PostgresServer
  beforeAll(async () => {
    server = await createPostgres()
  })
  afterAll(() => server.remove())

  return {
    connection: () => server.connection,
    /** Makes a pool that is ended when the test is finished. */
    poolWith(config: PoolConfig = {}): Pool {
      const pool = new Pool({ ...server.connection, ...config })
      onTestFinished(() => pool.end())
      return pool
    },
  }
}
