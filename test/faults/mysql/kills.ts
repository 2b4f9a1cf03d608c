import { createConnection, createPool } from 'mysql2/promise'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { random } from '../../shared/random.ts'
import { createMariadb } from '../../src/storage/mariadb-server.ts'
import { runAccidents, type WorldOptions, type WorldResult } from '../world.ts'

const OTHER_KILLS = ['connection', 'process', 'shutdown'] as const
/** For how long the statements of all connections are interrupted, again and again. */
const INTERRUPTS_MS = 1000

/** Kills the statements of all connections of a MariaDB server, in turn with one connection, or with the server itself. */
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

  async function interruptStatements(): Promise<void> {
    const admin = await createConnection(server.connection)
    const end = performance.now() + INTERRUPTS_MS
    while (performance.now() < end) {
      const [running] = await admin.query<any>(
        "SELECT id FROM information_schema.PROCESSLIST WHERE command = 'Execute'",
      )
      for (const { id } of running) await admin.query(`KILL QUERY ${id}`).catch(() => {})
    }
    await admin.end()
  }

  try {
    const storage = mysqlStorage(pool)
    await storage.migrate()
    // An interrupted list is wrong only where the server looks at many rows to choose a plan.
    await pool.query("INSERT INTO plants SELECT 'another', seq, '', NULL FROM seq_1_to_20000")
    let accidents = 0
    return await runAccidents(storage, options, async () => {
      const kind = accidents++ % 2 === 0 ? 'statements' : dice.pick(OTHER_KILLS)
      if (kind === 'connection') await killConnection()
      else if (kind === 'statements') await interruptStatements()
      else {
        await (kind === 'process' ? server.kill() : server.stop())
        await server.start()
      }
    })
  } finally {
    await server.remove()
    // It may have lost its connections, and must not hide why the accidents ended.
    await pool.end().catch(() => {})
  }
}
