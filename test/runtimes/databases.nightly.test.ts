import { afterAll, beforeAll, describe, it } from 'vitest'
import { skipBecause } from '../shared/skip.ts'
import { createMariadb, NO_MARIADB } from '../src/storage/mariadb-server.ts'
import { createPostgres } from '../src/storage/postgres-server.ts'
import { PATH, run } from './program.ts'

describe.each([
  ['postgres', createPostgres, false],
  ['mysql', createMariadb, NO_MARIADB],
] as const)('In another runtime, on %s', (protocol, create, reason) => {
  skipBecause(reason)
  let server: Awaited<ReturnType<typeof create>> | undefined
  beforeAll(async () => {
    if (!reason) server = await create()
  })
  afterAll(() => server?.remove())

  it.each([
    ['the SQL client of Bun', 'bun test --timeout 60000', 'bun-sql.ts'],
    ['a pool in Bun', 'bun test --timeout 60000', 'pools.ts'],
    ['a pool in Deno', 'deno test -A --no-check', 'pools.ts'],
  ])(
    'keeps the contract of a storage by %s',
    async (_, command, file) => {
      const { user, host, port, database } = server!.connection
      const DATABASE_URL = `${protocol}://${user}@${host}:${port}/${database}`
      const [program, ...args] = command.split(' ')
      await run(program!, [...args, `./test/runtimes/entries/${file}`], {
        env: { ...process.env, DATABASE_URL, PATH },
      })
    },
    180_000,
  )
})
