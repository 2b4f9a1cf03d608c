import { Pool } from 'pg'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'
import { type Database, SILENCE_MS } from '../database.ts'

/** PostgreSQL, with a synchronous standby. */
export const postgres: Database<PostgresServer> = {
  protocol: 'postgres',
  connect(connection) {
    // No statement_timeout: PostgreSQL acknowledges a commit whose wait for the standby it cancels.
    const pool = new Pool({ ...connection, query_timeout: SILENCE_MS })
    return { storage: postgresStorage(pool), end: () => pool.end() }
  },
  create: () => createPostgres(),
  accidents: [
    // The server then ends all backends, and recovers.
    async (server, dice) => {
      const backends = await server.run(
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      )
      if (backends.length === 0) return
      try {
        process.kill(dice.pick<any>(backends).pid, 'SIGKILL')
      } catch {
        // ESRCH: it has ended in the meantime.
      }
    },
    (server) => server.crash().then(server.start),
  ],
  async createPrimary() {
    const server = await createPostgres()
    // From its next start on, and its standbys inherit it.
    await server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    return server
  },
  createStandby: (primary, { port }) => primary.standby(port),
  async attach() {},
  promote: (standby) => standby.run('SELECT pg_promote()'),
}
