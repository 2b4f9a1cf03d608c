import { Client, Pool } from 'pg'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { random } from '../../shared/random.ts'
import { createPostgres, type PostgresServer } from '../../src/storage/postgres-server.ts'
import { createFaultyProxy } from '../proxy.ts'
import { runAccidents, type WorldOptions, type WorldResult } from '../world.ts'

const ENDS = ['cut off', 'killed', 'shut down immediately'] as const

/**
 * Ends a PostgreSQL primary and promotes its synchronous standby, which gets a standby of its own, and so on.
 */
export async function failOverPostgres(options: WorldOptions): Promise<WorldResult> {
  const dice = random(options.seed)
  let primary = await createPostgres()
  let standby: PostgresServer | undefined
  const toPrimary = await createFaultyProxy(primary.connection.port)
  const toService = await createFaultyProxy(primary.connection.port)
  // No statement_timeout: PostgreSQL acknowledges a commit whose wait for the standby it cancels.
  const pool = new Pool({ ...primary.connection, ...toService.address })

  async function addStandby(): Promise<void> {
    await run(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await primary.stop()
    standby = await primary.standby(toPrimary.address.port)
    toPrimary.connectTo(primary.connection.port)
    await Promise.all([primary.start(), standby.start()])
  }

  async function failOver(): Promise<void> {
    const end = dice.pick(ENDS)
    if (end === 'cut off') {
      // From now on the primary must not acknowledge any commit.
      toPrimary.connectTo(undefined)
      toPrimary.cut()
      await new Promise((resolve) => setTimeout(resolve, dice.below(200)))
    }
    toService.connectTo(standby!.connection.port)
    await (end === 'killed' ? primary.kill() : primary.crash())
    // Until the standby is promoted, it refuses writes.
    await new Promise((resolve) => setTimeout(resolve, dice.below(100)))
    await run(
      standby!,
      "ALTER SYSTEM SET synchronous_standby_names = ''",
      'SELECT pg_reload_conf()',
      'SELECT pg_promote()',
    )
    await primary.remove()
    primary = standby!
    standby = undefined
  }

  try {
    const storage = postgresStorage(pool)
    await storage.migrate()
    await addStandby()
    return await runAccidents(storage, options, async (load, isLast) => {
      await failOver()
      await load.answered(50 + dice.below(200))
      if (!isLast) await addStandby()
    })
  } finally {
    // Before the pool, which waits for calls in progress.
    await Promise.all([primary.remove(), standby?.remove()])
    await pool.end()
    await Promise.all([toService.close(), toPrimary.close()])
  }
}

async function run(server: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new Client(server.connection)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
