import { createPool } from 'mysql2/promise'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { random } from '../../shared/random.ts'
import { createMariadb } from '../../src/storage/mariadb-server.ts'
import { runAccidents, type WorldOptions, type WorldResult } from '../world.ts'

const KILLS = ['connection', 'process', 'shutdown'] as const

/** Kills a MariaDB server, or one of its connections, and starts it again. */
export async function killMariadb(options: WorldOptions): Promise<WorldResult> {
  const dice = random(options.seed)
  const server = await createMariadb()
  const pool = createPool(server.connection)

  async function killConnection(): Promise<void> {
    const connections = await server.run(
      "SELECT id FROM information_schema.PROCESSLIST WHERE db = 'app' AND id <> CONNECTION_ID()",
    )
    if (connections.length === 0) return
    // It may have ended in the meantime.
    await server.run(`KILL ${dice.pick<any>(connections).id}`).catch(() => {})
  }

  try {
    const storage = mysqlStorage(pool)
    await storage.migrate()
    return await runAccidents(storage, options, async () => {
      const kind = dice.pick(KILLS)
      if (kind === 'connection') await killConnection()
      else {
        await (kind === 'process' ? server.kill() : server.stop())
        await server.start()
      }
    })
  } finally {
    await server.remove()
    await pool.end()
  }
}
