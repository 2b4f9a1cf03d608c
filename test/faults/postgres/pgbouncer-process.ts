import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDaemon } from '../../shared/daemon.ts'
import { freePort } from '../../shared/free-port.ts'
import { ordinaryUser } from '../../src/storage/postgres-server.ts'

/** When a connection to the server is given to the next client. */
export type PoolMode = 'session' | 'transaction' | 'statement'

/** What `pgbouncer --version` says first, or undefined if it is not installed. */
export function pgBouncerVersion(): string | undefined {
  return spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0]
}

/** Creates a PgBouncer in front of a server, without starting it. */
export async function createPgBouncer(server: { port: number }, mode: PoolMode) {
  const folder = mkdtempSync(join(tmpdir(), 'plants-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 20 : 3}
server_login_retry = 0.1
`,
  )
  const { start, end } = createDaemon(['pgbouncer', file], ordinaryUser() ?? {}, /process up/)
  const kill = () => end('SIGKILL')
  return {
    connection: { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' },
    start,
    kill,
    /** Kills it and deletes its files. */
    async remove() {
      await kill()
      rmSync(folder, { recursive: true })
    },
  }
}
