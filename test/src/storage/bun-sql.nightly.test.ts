import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { PATH, run } from '../../runtimes/program.ts'
import { skipBecause } from '../../shared/skip.ts'
import { createMariadb, NO_MARIADB } from './mariadb-server.ts'
import { createPostgres } from './postgres-server.ts'

const file = fileURLToPath(new URL('bun-sql.ts', import.meta.url))

describe.each([
  ['postgres', createPostgres, false],
  ['mysql', createMariadb, NO_MARIADB],
] as const)('The SQL client of Bun, on %s', (protocol, create, reason) => {
  skipBecause(reason)
  let server: Awaited<ReturnType<typeof create>> | undefined
  beforeAll(async () => {
    if (!reason) server = await create()
  })
  afterAll(() => server?.remove())

  it('keeps the contract of a storage, and tells an outage from a bug', async () => {
    const { user, host, port, database } = server!.connection
    const DATABASE_URL = `${protocol}://${user}@${host}:${port}/${database}`
    await run('bun', ['test', '--timeout', '60000', file], {
      env: { ...process.env, DATABASE_URL, PATH },
    })
  })
})
