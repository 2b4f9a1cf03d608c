import { createConnection, createPool } from 'mysql2/promise'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { createMariadb, type MariadbServer } from '../../src/storage/mariadb-server.ts'
import { type Database, SILENCE_MS } from '../database.ts'

/** For how long the statements of all connections are interrupted, again and again. */
const INTERRUPTS_MS = 1000

const REPLICATION = {
  log_bin: 'binlog',
  log_slave_updates: 'ON',
  binlog_format: 'ROW',
  skip_slave_start: 'ON',
  rpl_semi_sync_slave_enabled: 'ON',
  rpl_semi_sync_master_wait_point: 'AFTER_SYNC',
  // An hour: a primary must not acknowledge what no replica has.
  rpl_semi_sync_master_timeout: '3600000',
  slave_net_timeout: '5',
}
let lastServerId = 1

/** MariaDB, with a semi-synchronous replica. */
export const mariadb: Database<MariadbServer> = {
  protocol: 'mysql',
  connect(connection) {
    // Not root, who may write to a read-only server.
    const pool = createPool({ ...connection, user: 'app' })
    pool.on('connection', limitSilence(SILENCE_MS))
    return {
      storage: mysqlStorage(pool),
      // It may have lost its connections, and must not hide why the accidents ended.
      end: () => pool.end().catch(() => {}),
    }
  },
  create: () => createWithApp({}),
  accidents: [
    interruptStatements,
    async (server, dice) => {
      const connections = await server.run(
        "SELECT id FROM information_schema.PROCESSLIST WHERE db = 'app' AND id <> CONNECTION_ID()",
      )
      if (connections.length === 0) return
      // It may have ended in the meantime.
      await server.run(`KILL ${dice.pick<any>(connections).id}`).catch(() => {})
    },
  ],
  createPrimary: () => createWithApp({ ...REPLICATION, server_id: '1' }),
  createStandby: (primary) => primary.copy({ server_id: `${++lastServerId}`, read_only: 'ON' }),
  async attach(primary, replica, { host, port }) {
    const [{ position }] = await primary.run('SELECT @@gtid_binlog_pos AS position')
    await replica.run(
      `SET GLOBAL gtid_slave_pos = '${position}'`,
      `CHANGE MASTER TO MASTER_HOST = '${host}', MASTER_PORT = ${port}, MASTER_USER = 'root',
        MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos`,
      'START SLAVE',
    )
    await primary.run('SET GLOBAL read_only = OFF, GLOBAL rpl_semi_sync_master_enabled = ON')
  },
  async promote(replica) {
    const [{ Gtid_IO_Pos: received }] = await replica.run(
      'STOP SLAVE IO_THREAD',
      'SHOW SLAVE STATUS',
    )
    await replica.run(`SELECT MASTER_GTID_WAIT('${received}', 60)`, 'STOP SLAVE', 'RESET SLAVE ALL')
  },
}

/** Breaks a connection of mysql2 that is silent for so long, as the guide does. */
export function limitSilence(ms: number) {
  return ({ stream }: any) =>
    stream.setTimeout(ms, () => stream.destroy(new Error('MySQL did not respond in time')))
}

async function createWithApp(settings: Record<string, string>): Promise<MariadbServer> {
  const server = await createMariadb(settings)
  await server.run("GRANT ALL ON app.* TO app IDENTIFIED BY ''")
  return server
}

async function interruptStatements({ connection }: MariadbServer): Promise<void> {
  const admin = await createConnection(connection)
  // An interrupted list is wrong only where the server looks at many rows to choose a plan.
  await admin.query("INSERT IGNORE INTO plants SELECT 'another', seq, '', NULL FROM seq_1_to_20000")
  const end = performance.now() + INTERRUPTS_MS
  while (performance.now() < end) {
    const [running] = await admin.query<any>(
      "SELECT id FROM information_schema.PROCESSLIST WHERE command = 'Execute'",
    )
    for (const { id } of running) await admin.query(`KILL QUERY ${id}`).catch(() => {})
  }
  await admin.end()
}
