import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { Pool as NeonPool } from '@neondatabase/serverless'
import { Client, Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/plant-storage.ts'
import { INT64_MAX, INT64_MIN } from '../../../src/plants/int64.ts'
import {
  type PostgresClient,
  postgresMigration,
  postgresStorage,
} from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { useTcpForNeon } from './neon-socket.ts'
import { createPostgres, freePort, type PostgresServer } from './postgres-server.ts'

let server: PostgresServer
let pool: Pool
const pools: Pool[] = []

beforeAll(async () => {
  server = await createPostgres({ max_connections: '100' })
  await server.start()
  pool = new Pool(server.connection)
  await postgresStorage(pool).migrate()
})
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end()
})
afterAll(async () => {
  await pool.end()
  await server.remove()
})

function poolWith(config: PoolConfig): Pool {
  const pool = new Pool({ ...server.connection, ...config })
  pools.push(pool)
  return pool
}

async function newDatabase(name: string): Promise<void> {
  await pool.query(`CREATE DATABASE ${name}`)
}

async function emptyStorage(client: PostgresClient) {
  await client.query('TRUNCATE plants', [])
  return postgresStorage(client)
}

describe('on pg', () => {
  testPlantStorage({ describe, it }, () => emptyStorage(pool))
})

describe('on PGlite', () => {
  let database: PGlite
  beforeAll(async () => {
    database = new PGlite()
    await postgresStorage(database).migrate()
  })
  afterAll(() => database.close())
  testPlantStorage({ describe, it }, () => emptyStorage(database))
})

describe('on Neon’s driver', () => {
  let neon: NeonPool
  beforeAll(() => {
    useTcpForNeon()
    neon = new NeonPool({ ...server.connection, ssl: false })
  })
  afterAll(() => neon.end())
  testPlantStorage({ describe, it }, () => emptyStorage(neon))
})

describe('on pg, where every transaction is serializable', () => {
  const options = '-c default_transaction_isolation=serializable'
  testPlantStorage({ describe, it }, () => emptyStorage(poolWith({ options })))
})

describe('clients', () => {
  it('may be a single connection', async () => {
    const client = new Client(server.connection)
    await client.connect()
    try {
      const storage = await emptyStorage(client)
      await storage.create('alice', { id: 1n, name: 'Fern' })
      expect(await storage.list('alice', { limit: 10 })).toEqual([{ id: 1n, name: 'Fern' }])
    } finally {
      await client.end()
    }
  })

  it('may be a function of text and values', async () => {
    const storage = await emptyStorage({ query: (text, values) => pool.query(text, values) })
    await storage.create('alice', { id: 1n, name: 'Fern' })
    expect(await storage.list('alice', { limit: 10 })).toEqual([{ id: 1n, name: 'Fern' }])
  })

  it('may read int8 as they like: ids are exact', async () => {
    const getTypeParser = (oid: number) => (oid === 20 ? Number : (value: string) => value)
    const types = { getTypeParser } as unknown as PoolConfig['types']
    const storage = await emptyStorage(poolWith({ types }))
    for (const id of [INT64_MAX, INT64_MIN]) await storage.create('alice', { id, name: 'Fern' })
    const plants = await storage.list('alice', { limit: 10 })
    expect(plants.map(({ id }) => id)).toEqual([INT64_MIN, INT64_MAX])
  })

  it('prepare each statement once a connection', async () => {
    const one = poolWith({ max: 1 })
    const storage = await emptyStorage(one)
    for (const id of [1n, 2n, 3n]) {
      await storage.create('alice', { id, name: 'Fern' })
      await storage.list('alice', { limit: 10 })
      await storage.delete('alice', id)
    }
    const { rows } = await one.query(
      'SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements ORDER BY name',
    )
    expect(rows).toEqual(
      ['create', 'delete', 'list'].map((name) => ({ name: `plant-store-${name}`, runs: '3' })),
    )
  })
})

describe('prepared statements', () => {
  const plant = { id: 1n, name: 'Fern' }

  it('that are gone from a connection are not missed', async () => {
    const one = poolWith({ max: 1 })
    const storage = await emptyStorage(one)
    await storage.create('alice', plant)
    await storage.list('alice', { limit: 10 })
    await storage.delete('alice', 1n)
    await one.query('DEALLOCATE ALL')
    const [created, plants, deleted] = await Promise.all([
      storage.create('alice', plant),
      storage.list('bob', { limit: 10 }),
      storage.delete('bob', 1n),
    ])
    expect({ created, plants, deleted }).toEqual({ created: true, plants: [], deleted: false })
    expect(await storage.list('alice', { limit: 10 })).toEqual([plant])
    expect(await storage.delete('alice', 1n)).toBe(true)
  })

  it('may be there already', async () => {
    const one = poolWith({ max: 1 })
    const storage = await emptyStorage(one)
    for (const name of ['create', 'list', 'delete']) {
      await one.query(`PREPARE "plant-store-${name}" AS SELECT 1`)
    }
    expect(await storage.create('alice', plant)).toBe(true)
    expect(await storage.list('alice', { limit: 10 })).toEqual([plant])
    expect(await storage.delete('alice', 1n)).toBe(true)
  })

  it('that are gone are not missed on Neon’s driver', async () => {
    useTcpForNeon()
    const neon = new NeonPool({ ...server.connection, ssl: false, max: 1 })
    try {
      const storage = await emptyStorage(neon)
      await storage.list('alice', { limit: 10 })
      await neon.query('DEALLOCATE ALL')
      expect(await storage.list('alice', { limit: 10 })).toEqual([])
    } finally {
      await neon.end()
    }
  })
})

describe('migrate', () => {
  it.each(['read committed', 'serializable'])(
    'may run in many processes at once (%s)',
    async (isolation) => {
      const database = `at_once_${isolation.replace(' ', '_')}`
      await newDatabase(database)
      const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
      const starting = Array.from({ length: 8 }, () => poolWith({ database, options }))
      await Promise.all(starting.map((pool) => postgresStorage(pool).migrate()))
      await Promise.all(starting.map((pool) => postgresStorage(pool).migrate()))
      const { rows } = await starting[0]!.query('SELECT version FROM plants_version')
      expect(rows).toEqual([{ version: 1 }])
    },
  )

  it('leaves the plants as they are', async () => {
    const storage = await emptyStorage(pool)
    await storage.create('alice', { id: 1n, name: 'Fern' })
    await storage.migrate()
    expect(await storage.list('alice', { limit: 10 })).toEqual([{ id: 1n, name: 'Fern' }])
  })

  it('needs no right to create tables once they are there', async () => {
    await pool.query('CREATE ROLE clerk LOGIN')
    await pool.query('GRANT SELECT, INSERT, DELETE ON plants TO clerk')
    const storage = postgresStorage(poolWith({ user: 'clerk' }))
    await storage.migrate()
    expect(await storage.create('clerk', { id: 1n, name: 'Fern' })).toBe(true)
  })

  it('refuses a table of that name that is somebody else’s', async () => {
    await newDatabase('taken')
    const taken = poolWith({ database: 'taken' })
    await taken.query('CREATE TABLE plants (latin_name text)')
    await expect(postgresStorage(taken).migrate()).rejects.toMatchObject({ code: '42P07' })
    const { rows } = await taken.query('SELECT to_regclass($1) AS version', ['plants_version'])
    expect(rows).toEqual([{ version: null }])
  })

  it('refuses the tables of a newer version, and leaves them as they are', async () => {
    await newDatabase('newer')
    const newer = poolWith({ database: 'newer' })
    await postgresStorage(newer).migrate()
    await newer.query('UPDATE plants_version SET version = 99')
    await expect(postgresStorage(newer).migrate()).rejects.toThrow(/version 99, .* knows only 1/)
    const { rows } = await newer.query('SELECT version FROM plants_version')
    expect(rows).toEqual([{ version: 99 }])
  })

  it('refuses a version without plants', async () => {
    await newDatabase('torn')
    const torn = poolWith({ database: 'torn' })
    await postgresStorage(torn).migrate()
    await torn.query('DROP TABLE plants')
    await expect(postgresStorage(torn).migrate()).rejects.toThrow(/plants is missing/)
    await torn.query('TRUNCATE plants_version')
    await expect(postgresStorage(torn).migrate()).rejects.toThrow(/plants is missing/)
  })

  it('makes the tables in the first schema of the search path, whatever is in the others', async () => {
    await newDatabase('tenants')
    const everybody = postgresStorage(poolWith({ database: 'tenants' }))
    await everybody.migrate()
    const tenants = poolWith({ database: 'tenants', options: '-c search_path="Tenant",public' })
    await tenants.query('CREATE SCHEMA "Tenant"')
    const tenant = postgresStorage(tenants)
    await tenant.migrate()
    await tenant.migrate()
    await tenant.create('alice', { id: 1n, name: 'Fern' })
    expect(await everybody.list('alice', { limit: 10 })).toEqual([])
    expect(await tenant.list('alice', { limit: 10 })).toEqual([{ id: 1n, name: 'Fern' }])
  })

  it('can be done by hand with the SQL that is printed', async () => {
    await newDatabase('by_hand')
    const file = fileURLToPath(new URL('../../../src/storage/postgres.ts', import.meta.url))
    const print = `require(${JSON.stringify(file)}).postgresMigration`
    const sql = execFileSync(process.execPath, ['-p', print], { encoding: 'utf8' })
    expect(sql.trim()).toBe(postgresMigration.trim())
    const byHand = poolWith({ database: 'by_hand' })
    await byHand.query(sql)
    await byHand.query(sql)
    expect(await postgresStorage(byHand).create('alice', { id: 1n, name: 'Fern' })).toBe(true)
  })
})

describe('failures', () => {
  const plant = { id: 1n, name: 'Fern' }
  const unavailable = expect.objectContaining({ name: 'StorageUnavailableError' })

  async function failureOf(answer: unknown): Promise<any> {
    try {
      return expect.fail(`answered ${await answer}`)
    } catch (error) {
      return error
    }
  }

  /** Locks the table meanwhile. */
  async function whileLocked(run: () => Promise<void>): Promise<void> {
    const blocker = await pool.connect()
    try {
      await blocker.query('BEGIN; LOCK TABLE plants')
      await run()
    } finally {
      await blocker.query('ROLLBACK')
      blocker.release()
    }
  }

  it('a standby, which cannot write, is unavailable for writing', async () => {
    const standby = postgresStorage(poolWith({ options: '-c default_transaction_read_only=on' }))
    const failure = await failureOf(standby.create('alice', plant))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure.cause).toMatchObject({ code: '25006' })
    expect(await failureOf(standby.delete('alice', 1n))).toEqual(unavailable)
    expect(await standby.list('nobody', { limit: 1 })).toEqual([])
  })

  it('a statement that takes too long is unavailable, and the next one works', async () => {
    const storage = postgresStorage(poolWith({ statement_timeout: 50 }))
    await whileLocked(async () => {
      const failure = await failureOf(storage.create('timeout', plant))
      expect(failure.cause).toMatchObject({ code: '57014' })
      expect(await failureOf(storage.list('timeout', { limit: 1 }))).toEqual(unavailable)
    })
    expect(await storage.create('timeout', plant)).toBe(true)
  })

  it('a transaction that takes too long is unavailable, and the next one works', async () => {
    const storage = postgresStorage(poolWith({ options: '-c transaction_timeout=50' }))
    await whileLocked(async () => {
      const failure = await failureOf(storage.create('transaction', plant))
      expect(failure.cause).toMatchObject({ code: '25P04' })
    })
    expect(await storage.create('transaction', plant)).toBe(true)
  })

  it('a lock held too long is unavailable', async () => {
    const storage = postgresStorage(poolWith({ lock_timeout: 50 }))
    await whileLocked(async () => {
      const failure = await failureOf(storage.delete('lock', 1n))
      expect(failure.cause).toMatchObject({ code: '55P03' })
    })
  })

  it('too many connections are unavailable', async () => {
    await pool.query('CREATE ROLE crowd LOGIN CONNECTION LIMIT 0')
    const storage = postgresStorage(poolWith({ user: 'crowd' }))
    expect((await failureOf(storage.list('alice', { limit: 1 }))).cause).toMatchObject({
      code: '53300',
    })
  })

  it('a pool without a free connection is unavailable, and works again when there is one', async () => {
    const small = poolWith({ max: 1, connectionTimeoutMillis: 50 })
    const storage = postgresStorage(small)
    const taken = await small.connect()
    try {
      expect(await failureOf(storage.create('busy', plant))).toEqual(unavailable)
    } finally {
      taken.release()
    }
    expect(await storage.create('busy', plant)).toBe(true)
  })

  it('a server that is not there is unavailable', async () => {
    const storage = postgresStorage(poolWith({ port: await freePort() }))
    const failure = await failureOf(storage.create('alice', plant))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure.cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('a pool or database that was ended is a mistake, and not unavailable', async () => {
    const ended = [
      new Pool(server.connection),
      new NeonPool({ ...server.connection, ssl: false }),
    ].map(async (pool) => {
      await pool.end()
      return failureOf(postgresStorage(pool).create('alice', plant))
    })
    for (const failure of await Promise.all(ended)) {
      expect(failure).not.toBeInstanceOf(StorageUnavailableError)
      expect(failure.message).toContain('Cannot use a pool after calling end')
    }

    const database = new PGlite()
    await database.close()
    const failure = await failureOf(postgresStorage(database).create('alice', plant))
    expect(failure).not.toBeInstanceOf(StorageUnavailableError)
    expect(failure.message).toBe('PGlite is closed')
  })

  it.each<[string, PoolConfig, RegExp]>([
    ['a password that is no string', { user: 'locked', password: 5 as any }, /must be a string/],
    [
      'a password of the wrong type from a function',
      { user: 'locked', password: () => 5 as any },
      /must be a string/,
    ],
    ['TLS that the server does not speak', { ssl: true }, /does not support SSL connections/],
  ])('%s is a mistake, and not unavailable', async (_, config, message) => {
    const failure = await failureOf(postgresStorage(poolWith(config)).create('alice', plant))
    expect(failure).not.toBeInstanceOf(StorageUnavailableError)
    expect(failure.message).toMatch(message)
  })

  it('a database without the table is a mistake, and not unavailable', async () => {
    await newDatabase('without_table')
    const storage = postgresStorage(poolWith({ database: 'without_table' }))
    expect(await failureOf(storage.create('alice', plant))).toMatchObject({ code: '42P01' })
  })

  it('an owner of 2600 bytes is kept, and a longer one refused', async () => {
    const storage = await emptyStorage(pool)
    const owner = randomText(2600)
    expect(await storage.create(owner, plant)).toBe(true)
    expect(await storage.list(owner, { limit: 2 })).toEqual([plant])
    expect(await failureOf(storage.create(randomText(2800), plant))).toMatchObject({
      code: '54000',
    })
  })

  it('what PostgreSQL rolled back for others’ sake is tried five times, and then unavailable', async () => {
    await newDatabase('conflicts')
    const conflicts = poolWith({ database: 'conflicts' })
    const storage = postgresStorage(conflicts)
    await storage.migrate()
    // A sequence keeps counting when a transaction is rolled back.
    await conflicts.query(`
      CREATE SEQUENCE tries;
      CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') < TG_ARGV[0]::int THEN RAISE SQLSTATE '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER conflict BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION conflict(5)`)
    expect(await storage.create('alice', plant)).toBe(true)

    await conflicts.query(`
      ALTER SEQUENCE tries RESTART;
      DROP TRIGGER conflict ON plants;
      CREATE TRIGGER conflict BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION conflict(99)`)
    expect(await failureOf(storage.create('bob', plant))).toEqual(unavailable)
    const { rows } = await conflicts.query('SELECT last_value FROM tries')
    expect(rows).toEqual([{ last_value: '5' }])
  })

  it('an idle connection that breaks does not end the process', async () => {
    const idle = poolWith({ max: 1 })
    const storage = postgresStorage(idle)
    await storage.list('alice', { limit: 1 })
    const broken = new Promise((resolve) => idle.once('remove', resolve))
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = $1',
      ['postgres'],
    )
    await broken
    expect(await storage.list('nobody', { limit: 1 })).toEqual([])
  })
})

/** Text that doesn't compress, which PostgreSQL would make of it. */
function randomText(length: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)))
    .toString('base64')
    .slice(0, length)
}
