import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'
import { startLoad } from '../load.ts'
import { createPgBouncer, pgBouncerVersion } from './pgbouncer-process.ts'

const version = pgBouncerVersion()
// As the guide says: what PgBouncer doesn't pass on is set for the role.
const settings = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 }

describe.skipIf(!version)(version ?? 'PgBouncer, which is not installed here', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await createPostgres()
    const pool = new Pool(server.connection)
    await pool.query("ALTER ROLE postgres SET statement_timeout = '15s'")
    await pool.end()
  })
  afterAll(() => server.remove())

  describe.each(['session', 'transaction', 'statement'] as const)('in %s mode', (mode) => {
    let bouncer: Awaited<ReturnType<typeof createPgBouncer>>
    let pool: Pool
    beforeAll(async () => {
      bouncer = await createPgBouncer(server.connection, mode)
      await bouncer.start()
      pool = new Pool({ ...bouncer.connection, ...settings })
      await postgresStorage(pool).migrate()
    })
    afterAll(async () => {
      await pool.end()
      await bouncer.remove()
    })

    async function emptyStorage() {
      await pool.query('TRUNCATE plants')
      return postgresStorage(pool)
    }

    testPlantStorage({ describe, it }, () => postgresStorage(pool))

    it('keeps the role’s statement_timeout', async () => {
      const { rows } = await pool.query('SHOW statement_timeout')
      expect(rows).toEqual([{ statement_timeout: '15s' }])
    })

    it('reports nothing wrong when it is killed, and when the server crashes', async () => {
      const load = startLoad(await emptyStorage())
      for (let round = 0; round < 3; round++) {
        await load.answered(200)
        await bouncer.kill()
        await bouncer.start()
        await load.answered(200)
        await server.crash()
        await server.start()
      }
      await load.answered(200)
      expect((await load.finish()).violations).toEqual([])
    })
  })
})
