import { createPool } from 'mysql2/promise'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { random } from '../../shared/random.ts'
import { createMariadb, type MariadbServer } from '../../src/storage/mariadb-server.ts'
import { createFaultyProxy } from '../proxy.ts'
import { runAccidents, type WorldOptions, type WorldResult } from '../world.ts'

const ENDS = ['cut off', 'killed'] as const

const SETTINGS = {
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

/**
 * Ends a MariaDB primary and promotes its semi-synchronous replica, which gets a replica of its own, and so on.
 */
export async function failOverMariadb(options: WorldOptions): Promise<WorldResult> {
  const dice = random(options.seed)
  let servers = 1
  let primary = await createMariadb({ ...SETTINGS, server_id: '1' })
  let replica: MariadbServer | undefined
  const toPrimary = await createFaultyProxy(primary.connection.port, 'mysql')
  const toService = await createFaultyProxy(primary.connection.port, 'mysql')
  // Not root, who may write to a read-only server.
  const pool = createPool({ ...primary.connection, ...toService.address, user: 'app' })

  async function addReplica(): Promise<void> {
    // Until it waits for its replica, nobody may reach the primary.
    toService.connectTo(undefined)
    await primary.stop()
    replica = await primary.copy({ server_id: String(++servers), read_only: 'ON' })
    toPrimary.connectTo(primary.connection.port)
    await Promise.all([primary.start(), replica.start()])
    const [{ position }] = await primary.run('SELECT @@gtid_binlog_pos AS position')
    const { host, port } = toPrimary.address
    await replica.run(
      `SET GLOBAL gtid_slave_pos = '${position}'`,
      `CHANGE MASTER TO MASTER_HOST = '${host}', MASTER_PORT = ${port}, MASTER_USER = 'root',
        MASTER_CONNECT_RETRY = 1, MASTER_USE_GTID = slave_pos`,
      'START SLAVE',
    )
    await primary.run('SET GLOBAL read_only = OFF, GLOBAL rpl_semi_sync_master_enabled = ON')
    toService.connectTo(primary.connection.port)
  }

  async function failOver(): Promise<void> {
    if (dice.pick(ENDS) === 'cut off') {
      // From now on the primary must not acknowledge any commit.
      toPrimary.connectTo(undefined)
      toPrimary.cut()
      await new Promise((resolve) => setTimeout(resolve, dice.below(200)))
    }
    toService.connectTo(replica!.connection.port)
    await primary.kill()
    // Until the replica is promoted, it refuses writes.
    await new Promise((resolve) => setTimeout(resolve, dice.below(100)))
    const [{ Gtid_IO_Pos: received }] = await replica!.run(
      'STOP SLAVE IO_THREAD',
      'SHOW SLAVE STATUS',
    )
    await replica!.run(
      `SELECT MASTER_GTID_WAIT('${received}', 60)`,
      'STOP SLAVE',
      'RESET SLAVE ALL',
      'SET GLOBAL read_only = OFF',
    )
    await primary.remove()
    primary = replica!
    replica = undefined
  }

  try {
    await primary.run("GRANT ALL ON app.* TO app IDENTIFIED BY ''")
    const storage = mysqlStorage(pool)
    await storage.migrate()
    await addReplica()
    return await runAccidents(storage, options, async (load, isLast) => {
      await failOver()
      await load.answered(50 + dice.below(200))
      if (!isLast) await addReplica()
    })
  } finally {
    await Promise.all([primary.remove(), replica?.remove()])
    // It may have lost its connections, and must not hide why the accidents ended.
    await pool.end().catch(() => {})
    await Promise.all([toService.close(), toPrimary.close()])
  }
}
