import { Pool } from 'pg'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { random } from '../../shared/random.ts'
import { createPostgres } from '../../src/storage/postgres-server.ts'
import { runAccidents, type WorldOptions, type WorldResult } from '../world.ts'

const KILLS = ['backend', 'first process', 'immediate shutdown'] as const

/** Kills a PostgreSQL server, or one of its backends, and starts it again. */
export async function killPostgres(options: WorldOptions): Promise<WorldResult> {
  const dice = random(options.seed)
  const server = await createPostgres()
  const pool = new Pool(server.connection)
  const admin = new Pool({ ...server.connection, max: 1 })
  pool.on('error', () => {})
  admin.on('error', () => {})

  /** The server then ends all backends, and recovers. */
  async function killBackend(): Promise<void> {
    const { rows } = await admin.query(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    )
    if (rows.length > 0) process.kill(dice.pick(rows).pid, 'SIGKILL')
  }

  try {
    const storage = postgresStorage(pool)
    await storage.migrate()
    return await runAccidents(storage, options, async () => {
      const kind = dice.pick(KILLS)
      if (kind === 'backend') await killBackend()
      else {
        await (kind === 'first process' ? server.kill() : server.crash())
        await server.start()
      }
    })
  } finally {
    // Before the pools, which wait for calls in progress.
    await server.remove()
    await Promise.all([pool.end(), admin.end()])
  }
}
