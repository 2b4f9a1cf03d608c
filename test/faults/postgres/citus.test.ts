import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { codeBlocks } from '../../docs/guides/guides.ts'
import { startLoad } from '../load.ts'

// Needs a coordinator with at least one worker, whose connections it terminates:
//   CITUS_URL=postgres://postgres@localhost:5432/postgres npx vitest run test/faults/postgres/citus.test.ts
const url = process.env.CITUS_URL

/** The line of the guide that distributes the table. */
const { code: guideLine } = codeBlocks('src/storage/README.md').find(({ code }) =>
  code.includes('create_distributed_table'),
)!

describe.skipIf(!url)('on the Citus cluster of CITUS_URL', () => {
  const table = `plants_${Date.now()}`
  const distribute = guideLine.replace("'plants'", `'${table}'`)
  const pools: Pool[] = []
  let coordinator: Pool
  let workers: { host: string; port: number }[]

  beforeAll(async () => {
    coordinator = poolOf({})
    const { rows } = await coordinator.query(
      "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 AND noderole = 'primary'",
    )
    workers = rows
    await postgresStorage(coordinator, { table }).migrate()
  })
  afterAll(async () => {
    await coordinator.query(`DROP TABLE ${table}`)
    for (const pool of pools) await pool.end()
  })

  function poolOf(node: PoolConfig): Pool {
    const { hostname, port, username, password, pathname } = new URL(url!)
    const config = { host: hostname, port: Number(port || 5432), user: username, password }
    const timeouts = { statement_timeout: 15_000, query_timeout: 20_000 }
    const pool = new Pool({ ...config, database: pathname.slice(1), ...timeouts, ...node })
    pools.push(pool)
    return pool
  }

  it('reports nothing wrong while the table is distributed by owner', async () => {
    const load = startLoad(postgresStorage(coordinator, { table }))
    await load.answered(500)
    await coordinator.query(distribute)
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
  })

  it('may be migrated and used on every worker', async () => {
    for (const [index, worker] of workers.entries()) {
      const storage = postgresStorage(poolOf(worker), { table })
      await storage.migrate()
      expect(await storage.create(`worker ${index}`, { id: 1n, name: 'Fern' })).toBe(true)
    }
  })

  testPlantStorage({ describe, it }, async () => {
    await coordinator.query(`TRUNCATE ${table}`)
    return postgresStorage(coordinator, { table })
  })

  it('reports nothing wrong when all connections to the workers are terminated', async () => {
    await coordinator.query(`TRUNCATE ${table}`)
    const load = startLoad(postgresStorage(coordinator, { table }))
    for (let round = 0; round < 5; round++) {
      await load.answered(500)
      await coordinator.query(`SELECT run_command_on_workers($$
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND application_name LIKE 'citus_internal%' $$)`)
    }
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
  })

  it('reports nothing wrong while a shard moves to another worker', async ({ skip }) => {
    if (workers.length < 2) skip('the cluster has one worker only')
    await coordinator.query(`TRUNCATE ${table}`)
    const load = startLoad(postgresStorage(coordinator, { table }))
    await load.answered(500)
    await coordinator.query(
      `SELECT citus_move_shard_placement(shardid, nodename, nodeport, $2, $3, 'block_writes')
        FROM citus_shards
        WHERE table_name = $1::regclass AND NOT (nodename = $2 AND nodeport = $3) LIMIT 1`,
      [table, workers[0]!.host, workers[0]!.port],
    )
    await load.answered(500)
    expect((await load.finish()).violations).toEqual([])
  })
})
