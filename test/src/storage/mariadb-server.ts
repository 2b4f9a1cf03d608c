import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import {
  copyFolder,
  createDaemon,
  createFolder,
  type DatabaseServer,
  ordinaryUser,
} from '../../shared/daemon.ts'
import { freePort } from '../../shared/free-port.ts'

/** A MariaDB server. */
export interface MariadbServer extends DatabaseServer {
  /** Copies a stopped server: the same data, another port. */
  copy(settings?: Record<string, string>): Promise<MariadbServer>
}

// Debian has it in /usr/sbin, which is not in every PATH.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }

/** What `mariadbd --version` says, or undefined if it is not installed. */
export function mariadbVersion(): string | undefined {
  const { stdout } = spawnSync('mariadbd', ['--version'], { env, encoding: 'utf8' })
  return /Ver (\S+)/.exec(stdout ?? '')?.[1]
}

/** For `skipBecause`. */
export const NO_MARIADB = !mariadbVersion() && 'MariaDB is not installed (Debian: mariadb-server)'

/**
 * Creates and starts a MariaDB server that listens on loopback only.
 *
 * @param settings settings of my.cnf. A commit doesn't wait for the disk by default: no test here cuts the power,
 *   and a write survives the end of the process without it.
 */
export async function createMariadb(settings: Record<string, string> = {}): Promise<MariadbServer> {
  const folder = createFolder('mariadb')
  const flags = ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db']
  execFileSync('mariadb-install-db', [...flags, `--datadir=${join(folder, 'data')}`], {
    ...ordinaryUser(),
    env: { ...env, TMPDIR: folder },
    cwd: folder,
    stdio: 'ignore',
  })
  const server = await serverIn(folder, settings)
  await server.start()
  await server.run('CREATE DATABASE app')
  return server
}

async function serverIn(folder: string, settings: Record<string, string>): Promise<MariadbServer> {
  const port = await freePort()
  const options = Object.entries({
    datadir: join(folder, 'data'),
    // Servers that share a directory for temporary tables remove each other's.
    tmpdir: folder,
    bind_address: '127.0.0.1',
    port: String(port),
    socket: join(folder, 'socket'),
    pid_file: join(folder, 'pid'),
    innodb_flush_log_at_trx_commit: '2',
    innodb_buffer_pool_size: '32M',
    innodb_log_file_size: '16M',
    ...settings,
  }).map(([name, value]) => `--${name}=${value}`)
  const connection = { host: '127.0.0.1', port, user: 'root', database: 'app' }
  const { end, ...daemon } = createDaemon(
    folder,
    ['mariadbd', '--no-defaults', ...options],
    /ready for connections/,
    { env },
  )

  return {
    ...daemon,
    connection,
    async run(...statements) {
      const { database: _, ...anyDatabase } = connection
      const client = await createConnection(anyDatabase)
      try {
        let rows: any
        for (const statement of statements) [rows] = await client.query(statement)
        return rows
      } finally {
        client.destroy()
      }
    },
    stop: () => end('SIGTERM'),
    copy: (others = {}) => serverIn(copyFolder(folder), { ...settings, ...others }),
  }
}
