import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { createDaemon } from '../../shared/daemon.ts'
import { freePort } from '../../shared/free-port.ts'
import { skipBecause } from '../../shared/skip.ts'
import {
  createPostgres,
  ordinaryUser,
  type PostgresServer,
} from '../../src/storage/postgres-server.ts'

const isMissing = spawnSync('pgbouncer', ['--version']).error !== undefined
let server: PostgresServer
beforeAll(async () => {
  if (!isMissing) server = await createPostgres()
})
afterAll(() => server?.remove())

// When a connection to the server is given to the next client.
describe.each(['session', 'transaction', 'statement'])('PgBouncer in %s mode', (mode) => {
  skipBecause(isMissing && 'needs pgbouncer')
  const folder = mkdtempSync(join(tmpdir(), 'plants-pgbouncer-'))
  let pool: Pool
  let endPgBouncer = async () => {}
  beforeAll(async () => {
    if (isMissing) return
    chmodSync(folder, 0o755)
    const port = await freePort()
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(
      file,
      `[databases]
postgres = host=127.0.0.1 port=${server.connection.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 20 : 3}
`,
    )
    const daemon = createDaemon(['pgbouncer', file], ordinaryUser() ?? {}, /process up/)
    await daemon.start()
    endPgBouncer = () => daemon.end('SIGKILL')
    // As the guide says: what PgBouncer doesn't pass on is set for the role.
    const settings = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 }
    pool = new Pool({ ...server.connection, port, ...settings })
    await postgresStorage(pool).migrate()
  })
  afterAll(async () => {
    await pool?.end()
    await endPgBouncer()
    rmSync(folder, { recursive: true })
  })

  testPlantStorage({ describe, it }, () => postgresStorage(pool))
})
