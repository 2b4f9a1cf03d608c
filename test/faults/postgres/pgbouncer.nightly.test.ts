import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { createDaemon, createFolder, type Daemon } from '../../shared/daemon.ts'
import { freePort } from '../../shared/free-port.ts'
import { skipBecause } from '../../shared/skip.ts'
import { usePostgres } from '../../src/storage/use-postgres.ts'

const isMissing = spawnSync('pgbouncer', ['--version']).error !== undefined
const postgres = usePostgres()

// When a connection to the server is given to the next client.
describe.each(['session', 'transaction', 'statement'])('PgBouncer in %s mode', (mode) => {
  skipBecause(isMissing && 'needs pgbouncer')
  let pool: Pool
  let pgBouncer: Daemon
  beforeAll(async () => {
    if (isMissing) return
    const folder = createFolder('pgbouncer')
    const port = await freePort()
    const file = join(folder, 'pgbouncer.ini')
    writeFileSync(
      file,
      `[databases]
postgres = host=127.0.0.1 port=${postgres.connection().port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 20 : 3}
`,
    )
    pgBouncer = createDaemon(folder, ['pgbouncer', file], /process up/)
    await pgBouncer.start()
    // As the guide says: what PgBouncer doesn't pass on is set for the role.
    const settings = { connectionTimeoutMillis: 5_000, query_timeout: 20_000 }
    pool = new Pool({ ...postgres.connection(), port, ...settings })
    await postgresStorage(pool).migrate()
  })
  afterAll(async () => {
    await pool?.end()
    await pgBouncer?.remove()
  })

  testPlantStorage({ describe, it }, () => postgresStorage(pool))
})
