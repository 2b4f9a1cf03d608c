import { randomBytes } from 'node:crypto'
import { connect, createServer } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { Pool as NeonPool, neon, neonConfig } from '@neondatabase/serverless'
import { Client, Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { postgresStatements } from '../../../src/storage/postgres/statements.ts'
import { type PostgresClient, postgresStorage } from '../../../src/storage/postgres.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { codeBlocks } from '../../docs/guides/guides.ts'
import { evaluate } from '../../orms/guide-lines.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { type Listening, listen } from '../../shared/listen.ts'
import { describeNightly, isNightly } from '../../shared/nightly.ts'
import { describeDatabase } from './describe-database.ts'
import { describeErrors, describeTries } from './describe-errors.ts'
import { describeSignal } from './describe-signal.ts'
import { createListDelete, expectEachCallToThrow } from './each-call.ts'
import { answerNeon } from './neon.ts'
import { usePostgres } from './use-postgres.ts'

const { connection, poolWith } = usePostgres()
let pool: Pool

beforeAll(async () => {
  pool = new Pool(connection())
  await postgresStorage(pool).migrate()
  await pool.query(
    `CREATE COLLATION "No Case" (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
  )
})
afterAll(() => pool.end())

/** Makes a pool of Neon's driver that is ended when the test is finished. */
function neonWith(config: PoolConfig): NeonPool {
  const neon = new NeonPool({ ...connection(), ssl: false, ...config })
  onTestFinished(() => neon.end())
  return neon
}

async function emptyStorage(client: PostgresClient) {
  await client.query('TRUNCATE plants', [])
  return postgresStorage(client)
}

async function countPrepared(one: PostgresClient) {
  return (await one.query('SELECT name FROM pg_prepared_statements')).rows.length
}

/** Parses an int8 to a double. */
const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : String) }

describe('on pg', () => {
  const open = () => postgresStorage(pool)
  testPlantStorage({ describe, it }, open, {
    reopen: open,
    openSecond: () => postgresStorage(poolWith()),
  })
  describeDatabase({
    ...{ module: 'postgres', storageOf: postgresStorage, poolWith, one: { max: 1 } },
    longestName: 40,
    async connect() {
      const client = new Client(connection())
      await client.connect()
      return client
    },
    fullPools: [['timeout exceeded when trying to connect', { connectionTimeoutMillis: 300 }]],
    settings: [{ types }, { options: '-c default_transaction_isolation=serializable' }],
    countPrepared,
    rightChanges: [
      ['a column that was removed and added again', 'DROP tag, ADD tag text'],
      ['another collation', 'ALTER COLUMN owner TYPE text COLLATE "en-x-icu"'],
      [
        'columns of the app',
        'ADD COLUMN price int, ADD COLUMN sold boolean NOT NULL DEFAULT false, ADD COLUMN sku int GENERATED ALWAYS AS IDENTITY, ADD COLUMN label text NOT NULL GENERATED ALWAYS AS (upper(name)) STORED',
      ],
      ['a wider index', 'DROP CONSTRAINT $table_pkey, ADD PRIMARY KEY (owner, id) INCLUDE (tag)'],
      [
        'partitions',
        `RENAME TO old_$table; CREATE TABLE $table (LIKE old_$table INCLUDING ALL) PARTITION BY HASH (owner);
        CREATE TABLE part_$table PARTITION OF $table FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
      ],
    ],
    wrongChanges: [
      ['other columns', 'DROP owner, DROP id, DROP name', /\(tag text\), but must have \(id big/],
      ['ids of another type', 'ALTER COLUMN id TYPE int', /id integer NOT NULL/],
      ['another key', 'DROP CONSTRAINT $table_pkey, ADD PRIMARY KEY (id)', /KEY \(id\)\), but/],
      ['no key', 'DROP CONSTRAINT $table_pkey', /tag text\), but/],
      ['an inexact collation', 'ALTER owner TYPE text COLLATE "No Case"', /COLLATE "No Case" NOT/],
      [
        'plants that a crash removes',
        'SET UNLOGGED',
        /PRIMARY KEY \(owner, id\), UNLOGGED changed_\w+\)/,
      ],
      [
        'a partition that a crash empties',
        `RENAME TO old_$table; CREATE TABLE $table (LIKE old_$table INCLUDING ALL) PARTITION BY RANGE (id);
        CREATE TABLE middle PARTITION OF $table DEFAULT PARTITION BY HASH (owner);
        CREATE UNLOGGED TABLE leaf PARTITION OF middle FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
        /PRIMARY KEY \(owner, id\), UNLOGGED leaf\)/,
      ],
      [
        'tables that inherit from it, in which its key does not count',
        'ADD CHECK (true); CREATE TABLE child () INHERITS ($table)',
        /PRIMARY KEY \(owner, id\), tables that inherit from it\)/,
      ],
    ],
    refusals: [
      [
        'a unique index',
        'CREATE UNIQUE INDEX once_$table ON $table (owner, name)',
        'The constraint once_',
      ],
      [
        'a deferred unique constraint',
        'ALTER TABLE $table ADD CONSTRAINT late UNIQUE (owner, name) DEFERRABLE INITIALLY DEFERRED',
        'The constraint late of the table',
      ],
      [
        'a trigger that names a constraint but no table',
        `CREATE FUNCTION limit_$table() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'Too many' USING CONSTRAINT = 'quota'; END $$;
        CREATE TRIGGER quota AFTER INSERT ON $table FOR EACH ROW WHEN (NEW.id > 1) EXECUTE FUNCTION limit_$table()`,
        'The constraint quota refused this: Too many',
      ],
    ],
  })
})

describe('on PGlite', () => {
  let database: PGlite
  beforeAll(async () => {
    database = new PGlite()
    await postgresStorage(database).migrate()
  })
  if (isNightly) testPlantStorage({ describe, it }, () => postgresStorage(database))

  it('creates, lists and deletes, one call at a time', async () => {
    await createListDelete(postgresStorage(database))
    expect(postgresStorage(database).maxConcurrentCalls).toBe(1)
  })
})

describeNightly('on Neon’s driver', () => {
  testPlantStorage({ describe, it }, () => postgresStorage(neonWith({})))
})

describe('on Neon’s driver over HTTP', () => {
  let proxy: Listening
  beforeAll(async () => {
    proxy = await listen(answerNeon(pool))
  })
  afterAll(() => proxy.close())

  /** The storage of the guide. */
  function open(url: string): PlantStorage {
    neonConfig.fetchEndpoint = url
    const sql = neon('postgres://alice:s3cret@localhost/plants', { fullResults: true })
    const blocks = codeBlocks('docs/storages/postgresql.md')
    const { code } = blocks.find(({ code }) => code.includes('neon('))!
    const [, line] = code.split('const storage = ')
    return evaluate(line!, { postgresStorage, sql })
  }

  if (isNightly) testPlantStorage({ describe, it }, () => open(proxy.url))
  describeSignal(open)

  it('creates, lists and deletes, any number of calls at once', async () => {
    await createListDelete(open(proxy.url))
    expect(open(proxy.url).maxConcurrentCalls).toBe(undefined)
    expect(postgresStorage(neon('postgres://a:b@localhost/c') as never).maxConcurrentCalls).toBe(
      undefined,
    )
    expect(postgresStorage(neonWith({ max: 3 })).maxConcurrentCalls).toBe(3)
  })

  it.each([502, 429])('is unavailable when Neon’s proxy answers %i', async (status) => {
    const failing = await listen((_, response) => response.writeHead(status).end())
    onTestFinished(() => failing.close())
    const failure = await failureOf(open(failing.url).list('alice', { limit: 1 }))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
  })
})

describeNightly('on pg, where every transaction is serializable', () => {
  const options = '-c default_transaction_isolation=serializable'
  testPlantStorage({ describe, it }, () => postgresStorage(poolWith({ options })))
})

describe('clients', () => {
  it.each([
    ['[rows, count], as TypeORM returns a DELETE', () => [[], 0], 'an array as a row'],
    ['rows that are arrays', () => [['1']], 'an array as a row'],
    ['the result of another database', () => ({ affectedRows: 1 }), 'an object as rows'],
    ['nothing', () => undefined, 'undefined as rows'],
  ])('that return %s are refused', async (_, rowsOf, got) => {
    const query: PostgresClient['query'] = async (text, values) =>
      values ? { rows: rowsOf() as any[] } : pool.query(text)
    const storage = postgresStorage({ query })
    const message = `query() of the client must return { rows }, with an object for each row whose members are the columns; got ${got}`
    await expectEachCallToThrow(storage, new TypeError(message))
    await expect(
      postgresStorage({ query: async () => ({ rows: rowsOf() as any[] }) }).migrate(),
    ).rejects.toThrow(message)
  })

  it('may describe the key as CockroachDB and YugabyteDB do', async () => {
    const query: PostgresClient['query'] = async (text, values) => {
      const { rows } = await pool.query(text, values)
      const definition = rows[0]?.definition?.replace('(owner, id)', '(owner HASH, id ASC)')
      return { rows: definition ? [{ ...rows[0], definition }] : rows }
    }
    await createListDelete(postgresStorage({ query }))
  })

  it('get values only with statements that have some', async () => {
    const query = vi.fn<PostgresClient['query']>((text, values) => pool.query(text, values))
    const storage = postgresStorage({ query }, { table: 'valued' })
    await storage.migrate()
    await storage.create('alice', { id: 1n, name: 'Fern' })
    await storage.list('alice', { limit: 1 })
    for (const [text, ...rest] of query.mock.calls) {
      expect(rest.length === 1).toBe(text.includes('$1'))
    }
  })
})

describe('prepared statements', () => {
  const plant = { id: 1n, name: 'Fern' }

  it.each<[string, () => PostgresClient]>([
    ['pg', () => poolWith({ max: 1 })],
    ['Neon’s driver', () => neonWith({ max: 1 })],
  ])('that a connection of %s has lost are sent again unnamed', async (_, connect) => {
    const one = connect()
    const storage = await emptyStorage(one)
    await createListDelete(storage)
    await one.query('DEALLOCATE ALL')
    const [created, plants, deleted] = await Promise.all([
      storage.create('alice', plant),
      storage.list('bob', { limit: 10 }),
      storage.delete('bob', 1n),
    ])
    expect({ created, plants, deleted }).toEqual({ created: true, plants: [], deleted: false })
    await one.query('DEALLOCATE ALL')
    await createListDelete(storage)
    expect(await countPrepared(one)).toBe(0)
  })

  it('whose result has another type since a change of the table are sent again', async () => {
    const one = poolWith({ max: 1 })
    const storage = postgresStorage(one, { table: 'changing' })
    await storage.migrate()
    await createListDelete(storage)
    // '.' || name is a character varying then.
    await one.query(
      'CREATE DOMAIN label AS text; ALTER TABLE changing ALTER COLUMN name TYPE label, ALTER COLUMN tag TYPE label',
    )
    await createListDelete(storage)
  })

  it('may have names that are taken', async () => {
    const one = poolWith({ max: 1 })
    const storage = await emptyStorage(one)
    for (const { name } of Object.values(
      postgresStatements({ schema: 'public', name: 'plants' }),
    )) {
      await one.query(`PREPARE "${name}" AS SELECT 1`)
    }
    await createListDelete(storage)
  })
})

it('an owner may have 2600 bytes that the index can’t compress', async () => {
  const owner = randomBytes(1950).toString('base64')
  expect(await postgresStorage(pool).create(owner, { id: 1n, name: 'Fern' })).toBe(true)
})

it('the guide gives the role behind PgBouncer a statement timeout', async () => {
  const blocks = codeBlocks('docs/storages/postgresql.md')
  const { code } = blocks.find(({ code }) => code.startsWith('ALTER ROLE'))!
  await pool.query(`CREATE ROLE plants LOGIN; ${code}`)
  const settings = "SELECT rolconfig FROM pg_roles WHERE rolname = 'plants'"
  const { rows } = await pool.query(settings)
  expect(rows).toEqual([{ rolconfig: ['statement_timeout=15s'] }])
})

describe('failures', () => {
  const plant = { id: 1n, name: 'Fern' }
  it.each<[string, string[], PoolConfig]>([
    [
      '55000',
      ['CREATE DATABASE restoring', 'ALTER DATABASE restoring ALLOW_CONNECTIONS false'],
      { database: 'restoring' },
    ],
    [
      '42501',
      ['REVOKE CONNECT ON DATABASE template1 FROM PUBLIC', 'CREATE ROLE waiting LOGIN'],
      { user: 'waiting', database: 'template1' },
    ],
  ])('a connection that is refused with %s is unavailability', async (code, before, config) => {
    for (const sql of before) await pool.query(sql)
    const failure = await failureOf(postgresStorage(poolWith(config)).create('alice', plant))
    expect(failure).toMatchObject({ name: 'StorageUnavailableError', cause: { code } })
  })

  describe('an error', () => {
    const storageWith = (error: Error) => postgresStorage({ query: () => Promise.reject(error) })
    const coded = (codes: string) => codes.split(' ').map((code) => ({ code }))
    const internal = (message: string) => ({ code: 'XX000', message })
    const prisma = (originalCode: string) => ({
      meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode } } },
    })
    const missing = { schema: 'public', encoding: 'UTF8', definition: '', visible: null }
    const storageWhere = (fails: 'read' | 'change', fail: () => Promise<never>) =>
      postgresStorage({
        query: async (text) =>
          text.startsWith('CREATE') === (fails === 'change') ? fail() : { rows: [missing] },
      })
    describeTries(storageWhere, [
      [2, 'read', { code: '57P01' }],
      ...[
        ...coded('57P02 08006 EPIPE CONNECTION_CLOSED P1017 ERR_POSTGRES_CONNECTION_CLOSED'),
        { meta: { driverAdapterError: { cause: { kind: 'ConnectionClosed' } } } },
        'Connection terminated',
        'Client has encountered a connection error and is not queryable',
        internal('(EDBHANDLEREXITED) DbHandler exited.'),
        internal('Connection to database closed'),
      ].map((error): [number, 'read', string | object] => [2, 'read', error]),
      [1, 'read', { message: 'Connection terminated unexpectedly', code: 'ETIMEDOUT' }],
      [1, 'read', { code: '57014' }],
      [1, 'read', 'timeout expired'],
      [1, 'change', { code: '57P01' }],
      // It was rolled back, or has not run.
      [5, 'change', { code: '40P01' }],
      [5, 'change', { code: 'P2034' }],
      [5, 'change', { code: '57P05' }],
      [5, 'change', { code: '26000' }],
      [5, 'change', { code: '42P05' }],
      [5, 'change', { code: '0A000', message: 'cached plan must not change result type' }],
      [5, 'change', { code: '0A000', routine: 'RevalidateCachedQuery' }],
    ])
    describeErrors(storageWith, {
      unavailable: [
        ...coded('08000 08006 28000 28P01 3D000 40003 53200 53300 57014 57P01 57P03 58030'),
        ...coded('25006 25P03 25P04 55P03'),
        // The messages are libpq's. Citus and foreign-data wrappers pass them on without an SQLSTATE.
        internal('server closed the connection unexpectedly'),
        internal('could not receive data from server: Connection reset by peer'),
        internal('could not establish any connections to the node db2:5432'),
        internal('SSL SYSCALL error: EOF detected'),
        internal('terminating connection due to administrator command'),
        // Supavisor's, before version 2 and since; Neon's; those of other poolers.
        internal('Max client connections reached'),
        internal('MaxClientsInSessionMode: max clients reached - in Session mode'),
        internal('(EMAXCONN) max client connections reached, limit: 200'),
        internal('(ECHECKOUTTIMEOUT) unable to check out connection from the pool after 60000ms'),
        internal('DbHandler exited. Check logs for more information.'),
        internal('(EDBHANDLEREXITED) DbHandler exited. Check logs for more information'),
        internal('Tenant or user not found'),
        internal('Control plane request failed: endpoint is temporarily unavailable.'),
        internal('Your project has exceeded the data transfer quota. Upgrade your plan.'),
        'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.',
        'Console request failed with 429 Too Many Requests: rate limit exceeded',
        // YugabyteDB's and CockroachDB's.
        internal('Leader does not have a valid lease'),
        internal('context deadline exceeded'),
        internal('all backend nodes are down, pgpool requires at least one valid node'),
        { ...internal('something of a pooler'), severity: 'FATAL' },
        ...coded('08P01 57P02 57P05 58C00 XXUUU'),
        // Node's and postgres.js's.
        ...coded('ECONNRESET EPIPE EAI_AGAIN CONNECT_TIMEOUT CONNECTION_CLOSED'),
        // Prisma's, which look like SQLSTATEs.
        ...coded('P1001 P2024 P5011 P6008'),
        // Those of its driver adapters.
        prisma('40P01'),
        { meta: { driverAdapterError: { cause: { kind: 'SocketTimeout' } } } },
        // Those of Bun's client, for connections and for PostgreSQL's own.
        ...coded('ERR_POSTGRES_CONNECTION_CLOSED ERR_POSTGRES_IDLE_TIMEOUT'),
        { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '53300' },
        // pg's and libpq's that have no code.
        'Connection terminated unexpectedly',
        'Query read timeout',
        'timeout expired',
        'could not connect to server',
        'The operation timed out',
      ],
      others: [
        ...coded('23514 22003 22008 42501 25P02 25008 55000 55006 P0001 P0002 XX001'),
        { code: '22008', message: 'timeout' },
        internal('cache lookup failed for relation 7'),
        ...coded('CONNECTION_ENDED ERR_INVALID_ARG_TYPE ERR_SOCKET_BAD_PORT P2010'),
        ...coded('DEPTH_ZERO_SELF_SIGNED_CERT ERR_POSTGRES_SYNTAX_ERROR'),
        { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '22008' },
        prisma('22008'),
        {
          name: 'TypeError',
          message: "Cannot read properties of undefined (reading 'connection')",
        },
        { meta: {} },
        { code: '0A000', message: 'SSL is not supported' },
        'Client was closed and is not queryable',
        'Cannot use a pool after calling end on the pool',
        'PGlite is closed',
        'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
        'The server does not support SSL connections',
        'Received unexpected dataRow message from backend.',
      ],
    })
  })

  it.each([
    [3, 2000],
    [1, 6000],
  ])('a statement is tried %i times if each takes %i ms to be rolled back', async (times, ms) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const query = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, ms))
      throw Object.assign(new Error('Deadlock'), { code: '40001' })
    })
    const failure = failureOf(postgresStorage({ query }).delete('alice', 1n))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await failure).toBeInstanceOf(StorageUnavailableError)
    expect(query).toHaveBeenCalledTimes(times)
  })

  it.each([
    ['pg', { code: '23505', constraint: 'once', table: 'plants' }],
    ['postgres.js', { code: '23505', constraint_name: 'once', table_name: 'plants' }],
    [
      'Bun',
      { code: 'ERR_POSTGRES_SERVER_ERROR', errno: '23505', constraint: 'once', table: 'plants' },
    ],
  ])('an error of %s names the constraint and its table', async (_, fields) => {
    const error = Object.assign(new Error('duplicate key value'), fields)
    const storage = postgresStorage({ query: () => Promise.reject(error) })
    const message = 'The constraint once of the table plants refused this: duplicate key value'
    expect(await failureOf(storage.delete('alice', 1n))).toMatchObject({ message, cause: error })
  })

  it('an error of Neon’s driver over HTTP has that of fetch as its cause, such as an abort', async () => {
    const sourceError = new DOMException('This operation was aborted', 'AbortError')
    const message = `Error connecting to database: ${sourceError.message}`
    const error = Object.assign(new Error(message), { name: 'NeonDbError', sourceError })
    const failure = await failureOf(
      postgresStorage({ query: () => Promise.reject(error) }).delete('alice', 1n),
    )
    expect(failure).toEqual(new StorageUnavailableError(message, { cause: sourceError }))
  })

  it.each([
    ['the error event of a WebSocket, as Neon’s driver does', { type: 'error' }],
    ['an error without a message', Object.assign(new Error(''), { code: 'ECONNREFUSED' })],
  ])('a client that rejects with %s is unavailable', async (_, reason) => {
    const storage = postgresStorage({ query: () => Promise.reject(reason) })
    const failure = await failureOf(storage.delete('alice', 1n))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure).toMatchObject({ message: 'PostgreSQL did not respond', cause: reason })
  })

  it('a server that stops while it accepts a connection is unavailability', async () => {
    const ready = Buffer.from('Z\0\0\0\x05I', 'latin1')
    const fatal = Buffer.from('E\0\0\0\x13SFATAL\0C57P01\0\0', 'latin1')
    let stops = false
    const way = createServer((socket) => {
      const server = connect(connection())
      socket.on('close', () => server.destroy()).pipe(server)
      // In one packet: pg then parses the error before a promise that it has resolved has called anybody.
      server.on('data', (data) =>
        socket.write(stops && data.includes(ready) ? Buffer.concat([data, fatal]) : data),
      )
    })
    const { port, close } = await listen(way)
    onTestFinished(close)
    const storage = postgresStorage(poolWith({ port, maxUses: 1 }))
    await storage.delete('alice', 1n)
    stops = true
    expect(await failureOf(storage.create('alice', plant))).toBeInstanceOf(StorageUnavailableError)
  })

  it('of idle connections are ignored, or left to the listener that a pool has', async () => {
    const listened = poolWith().on('error', () => {})
    postgresStorage(listened)
    expect(listened.listenerCount('error')).toBe(1)

    const one = poolWith({ max: 1 })
    const storage = postgresStorage(one)
    await storage.delete('alice', 1n)
    const connection = await one.connect()
    const listeners = connection.listenerCount('error')
    connection.release()
    expect(listeners).toBe(0)
    await pool.query(`SELECT pg_terminate_backend(${(connection as any).processID})`)
    await expect.poll(() => one.totalCount).toBe(0)
    expect(await storage.delete('alice', 1n)).toBe(false)
  })
})
