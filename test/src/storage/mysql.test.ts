import * as mariadb from 'mariadb'
import { createPool as createCallbackPool } from 'mysql2'
import { createConnection, createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import { type MysqlClient, mysqlStorage } from '../../../src/storage/mysql.ts'
import { testPlantStorage } from '../../../src/testing.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { describeNightly } from '../../shared/nightly.ts'
import { skipBecause } from '../../shared/skip.ts'
import { describeDatabase } from './describe-database.ts'
import { describeErrors, describeTries } from './describe-errors.ts'
import { createListDelete } from './each-call.ts'
import { createMariadb, type MariadbServer, NO_MARIADB } from './mariadb-server.ts'

let server: MariadbServer
let pool: Pool
const plant = { id: 1n, name: 'Fern' }

const interrupted = (operation: string) =>
  new StorageUnavailableError(
    `The server found no row in 20 tries of a ${operation}, as if it had been interrupted each time`,
  )

beforeAll(async () => {
  if (NO_MARIADB) return
  server = await createMariadb({
    character_set_server: 'latin1',
    collation_server: 'latin1_swedish_ci',
    default_time_zone: '+05:45',
  })
  pool = createPool(server.connection)
  await mysqlStorage(pool).migrate()
})
afterAll(async () => {
  await pool?.end()
  await server?.remove()
})

function poolWith(config: PoolOptions = {}): Pool {
  const pool = createPool({ ...server.connection, ...config })
  onTestFinished(() => pool.end())
  return pool
}

/** A pool whose connections begin with a statement. */
function poolAfter(statement: string, config: PoolOptions = {}): Pool {
  const pool = poolWith(config)
  pool.on('connection', (connection: any) => connection.query(statement))
  return pool
}

/** A storage that is served by the server, except for the statements to which `answer` returns a result. */
function storageWhere(answer: (sql: string, values: unknown[]) => unknown) {
  return mysqlStorage({
    async execute(statement, values) {
      const result = await answer(statement.sql, values)
      return result === undefined ? await pool.execute<any>(statement, values) : [result]
    },
  })
}

function rejection(fields: object): Promise<never> {
  return Promise.reject(Object.assign(new Error('Something new'), fields))
}

async function emptyStorage(client: Parameters<typeof mysqlStorage>[0]) {
  await pool.query('DELETE FROM plants')
  return mysqlStorage(client)
}

const TEXT = 'LONGTEXT CHARACTER SET utf8mb4'

describe('on MariaDB', () => {
  skipBecause(NO_MARIADB)

  describe('by mysql2', () => {
    const open = () => mysqlStorage(pool)
    testPlantStorage({ describe, it }, open, {
      reopen: open,
      openSecond: () => mysqlStorage(poolWith()),
    })
    describeDatabase({
      ...{ module: 'mysql', storageOf: mysqlStorage, poolWith, one: { connectionLimit: 1 } },
      longestName: 64,
      connect: () => createConnection(server.connection),
      fullPools: [
        ['No connections available.', { waitForConnections: false }],
        ['Queue limit reached.', { queueLimit: 1 }],
      ],
      settings: [
        { rowsAsArray: true },
        { typeCast: false },
        { disableEval: true },
        { typeCast: () => 7 },
        { supportBigNumbers: true },
        { charset: 'latin1', flags: ['-FOUND_ROWS'], namedPlaceholders: true, nestTables: true },
        { bigNumberStrings: true, decimalNumbers: true, dateStrings: true, timezone: '-03:00' },
      ],
      async countPrepared(one) {
        const [[row]] = await one.query("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")
        return Number(row.Value)
      },
      rightChanges: [
        ['an index', 'ADD INDEX (name(20))'],
        ['another collation of names', `MODIFY name ${TEXT} COLLATE utf8mb4_unicode_ci NOT NULL`],
        [
          'columns of the app',
          'ADD price INT, ADD sold BOOLEAN NOT NULL DEFAULT 0, ADD at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, ADD sku INT AUTO_INCREMENT UNIQUE, ADD label INT AS (length(name)) STORED',
        ],
      ],
      wrongChanges: [
        [
          'other columns',
          'DROP PRIMARY KEY, DROP id, DROP name, DROP tag, CHANGE owner latin_name TEXT',
          /It has \(ENGINE InnoDB\), but must have/,
        ],
        ['counted ids', 'MODIFY id BIGINT NOT NULL AUTO_INCREMENT, ADD KEY (id)', /AUTO_INCREMENT/],
        ['computed tags', `DROP tag, ADD tag ${TEXT} AS ('x') VIRTUAL`, /VIRTUAL GENERATED/],
        ['unsigned ids', 'MODIFY id BIGINT UNSIGNED NOT NULL', /id bigint unsigned NOT NULL/],
        [
          'owners that are compared by a collation',
          'MODIFY owner VARCHAR(700) COLLATE latin1_bin NOT NULL',
          /owner varchar\(700\) latin1 NOT NULL/,
        ],
        ['text of another character set', 'MODIFY name LONGTEXT NOT NULL', /name longtext latin1/],
        ['shorter text', 'MODIFY name TEXT CHARSET utf8mb4 NOT NULL', /name text utf8mb4/],
        ['another key', 'DROP PRIMARY KEY, ADD PRIMARY KEY (id, owner)', /KEY \(id, owner\)/],
        ['a prefix key', 'DROP PRIMARY KEY, ADD PRIMARY KEY (owner(9), id)', /\(owner\(9\), id\)/],
        ['no key', 'DROP PRIMARY KEY', /tag longtext utf8mb4, ENGINE/],
        ['an engine without transactions', 'ENGINE = Aria', /ENGINE Aria\), but/],
      ],
      refusals: [
        ['a unique index', 'CREATE UNIQUE INDEX own_names ON $table (name(20))', 'own_names'],
        ['a CHECK', 'ALTER TABLE $table ADD CONSTRAINT no_ferns CHECK (id < 2)', 'no_ferns'],
        [
          'a trigger that writes to a table with a primary key',
          `CREATE TRIGGER $table_log AFTER INSERT ON $table FOR EACH ROW
            INSERT INTO plants VALUES ('$table', 1, NEW.name, NULL)`,
          'PRIMARY',
        ],
      ],
    })
  })

  describeNightly('by mariadb, as the guide wraps it', () => {
    testPlantStorage({ describe, it }, () => {
      const pool = mariadb.createPool({ ...server.connection, namedPlaceholders: true })
      onTestFinished(() => pool.end())
      return mysqlStorage({ execute: async (sql, values) => [await pool.execute(sql, values)] })
    })
  })

  const settings = [
    ["sql_mode = ''", 'collation_connection = utf8mb4_general_ci'],
    ["sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,TRADITIONAL'", 'NAMES gbk'],
    ["sql_mode = 'ORACLE,EMPTY_STRING_IS_NULL'", 'NAMES latin1', 'lc_messages = ja_JP'],
  ]
  for (const setting of settings) {
    describeNightly(`where each connection begins with SET ${setting[0]}`, () => {
      const sql = `SET ${setting.toReversed().join(', ')}`
      testPlantStorage({ describe, it }, () => mysqlStorage(poolAfter(sql)))
    })
  }

  describe('clients', () => {
    it('that unwrap the result of a change are told what to resolve to', async () => {
      const unwraps = storageWhere((sql) => (sql.startsWith('DELETE') ? 1 : undefined))
      const failure = await failureOf(unwraps.delete('alice', 1n))
      expect(failure).toBeInstanceOf(TypeError)
      expect(failure.message).toContain('with an object with affectedRows as result; got a number')
    })

    // MariaDB answers so after KILL QUERY and max_statement_time, on a table with many rows.
    it('read a page again that came empty, though the owner has plants behind it', async () => {
      await (await emptyStorage(pool)).create('alice', plant)
      let interrupts = 2
      const storage = storageWhere((sql) =>
        sql.includes('LIMIT ?') && interrupts-- > 0 ? [] : undefined,
      )
      expect(await storage.list('alice', { after: 0n, limit: 2 })).toEqual([plant])
      expect(interrupts).toBe(-1)
      expect(await storage.list('alice', { after: 1n, limit: 2 })).toEqual([])
      expect(await storage.list('bob', { limit: 2 })).toEqual([])
      interrupts = 100
      expect(await failureOf(storage.list('alice', { limit: 2 }))).toEqual(interrupted('list'))
      expect(interrupts).toBe(80)
    })

    it('may take callbacks', async () => {
      const callbacks = createCallbackPool(server.connection)
      onTestFinished(() => callbacks.promise().end())
      await createListDelete(await emptyStorage(callbacks))
    })

    it('store text that readers of the table see as it is', async () => {
      const storage = await emptyStorage(poolWith({ charset: 'latin1' }))
      await storage.create('ål', { id: 1n, name: 'Łącznik 🌱', tag: '' })
      const [rows] = await pool.query(
        'SELECT CONVERT(owner USING utf8mb4) AS o, name, tag FROM plants',
      )
      expect(rows).toEqual([{ o: 'ål', name: 'Łącznik 🌱', tag: '' }])
    })
  })

  it.each([
    ['SET autocommit = 0', 'autocommit is off'],
    [
      'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED',
      'The isolation level is READ UNCOMMITTED',
    ],
  ])('connections that begin with %s are refused', async (statement, message) => {
    const storage = mysqlStorage(poolAfter(statement))
    await expect(storage.migrate()).rejects.toThrow(message)
    const failure = await failureOf(storage.list('alice', { limit: 1 }))
    expect(failure.message).toContain(message)
    // It stays until somebody changes it.
    expect(failure).not.toBeInstanceOf(StorageUnavailableError)
  })

  it('the first call decides on the database, whatever that of a connection becomes', async () => {
    await pool.query('CREATE DATABASE `with-dash``and tick`')
    const one = poolWith({ database: 'with-dash`and tick', connectionLimit: 1 })
    const storage = mysqlStorage(one)
    await storage.migrate()
    await one.query('USE app')
    expect(await storage.create('moved', plant)).toBe(true)
    await one.query('USE `with-dash``and tick`')
    expect(await storage.list('moved', { limit: 2 })).toEqual([plant])
  })

  it('a create that a key of the app refuses costs one try, and mariadb tells its name too', async () => {
    const maria = mariadb.createPool(server.connection)
    onTestFinished(() => maria.end())
    const execute = vi.fn<MysqlClient['execute']>(async (...call) => [await maria.execute(...call)])
    const storage = mysqlStorage({ execute }, { table: 'named' })
    await storage.migrate()
    await pool.query('CREATE UNIQUE INDEX own_names ON named (name(20))')
    await storage.create('alice', plant)
    execute.mockClear()
    const failure = await failureOf(storage.create('alice', { ...plant, id: 2n }))
    expect(failure.message).toBe('The unique key own_names refused this')
    expect(execute).toHaveBeenCalledTimes(2)
  })

  it('a plant may get its name from a trigger', async () => {
    const storage = mysqlStorage(pool, { table: 'renamed' })
    await storage.migrate()
    await pool.query(
      'CREATE TRIGGER rename_plant BEFORE INSERT ON renamed FOR EACH ROW SET NEW.name = upper(NEW.name)',
    )
    expect(await storage.create('alice', plant)).toBe(true)
    expect(await storage.list('alice', { limit: 2 })).toEqual([{ ...plant, name: 'FERN' }])
  })

  it('an owner is deleted in SQL as bytes, whatever the character set of the connection', async () => {
    const storage = await emptyStorage(pool)
    await storage.create('ål', plant)
    const latin1 = poolWith({ charset: 'latin1' })
    await latin1.query('DELETE FROM plants WHERE owner = ?', [Buffer.from('ål')])
    expect(await storage.list('ål', { limit: 1 })).toEqual([])
  })

  it('a create that a key of the app refuses returns false if its id is taken by then', async () => {
    await (await emptyStorage(pool)).create('alice', plant)
    const message = "Duplicate entry 'Fern' for key 'own_names'"
    const storage = storageWhere((sql) =>
      sql.startsWith('INSERT') ? rejection({ errno: 1062, message }) : undefined,
    )
    expect(await storage.create('alice', plant)).toBe(false)
  })

  describe('failures', () => {
    async function setGlobal(setting: string, before: string): Promise<void> {
      await server.run(`SET GLOBAL ${setting}`)
      onTestFinished(async () => void (await server.run(`SET GLOBAL ${before}`)))
    }

    it.each(["for key 'PRIMARY'", "for key 'plants.PRIMARY'", 'pour une clé'])(
      'a create whose id is taken and free again, time after time, is answered: Duplicate entry %s',
      async (sqlMessage) => {
        await emptyStorage(pool)
        let races = 8
        const storage = storageWhere((sql) =>
          sql.startsWith('INSERT') && races-- > 0
            ? rejection({ errno: 1062, sqlMessage })
            : undefined,
        )
        expect(await storage.create('alice', plant)).toBe(true)
        expect(races).toBe(-1)
      },
    )

    it('a statement that changes no row, as when MariaDB was interrupted, is sent again', async () => {
      await emptyStorage(pool)
      let interrupts = 0
      const storage = storageWhere((sql) =>
        /^(INSERT|DELETE)/.test(sql) && interrupts-- > 0 ? { affectedRows: 0 } : undefined,
      )
      for (const [operation, call] of [
        ['create', () => storage.create('alice', plant)],
        ['delete', () => storage.delete('alice', 1n)],
      ] as const) {
        interrupts = Number.POSITIVE_INFINITY
        expect(await failureOf(call())).toEqual(interrupted(operation))
        interrupts = 3
        expect(await call()).toBe(true)
      }
    })

    it('an owner of more than 1404 bytes is refused, not shortened', async () => {
      const owner = `${'ł'.repeat(702)}a`
      const failure = await failureOf(mysqlStorage(pool).create(owner, plant))
      expect(failure).toEqual(
        new RangeError('An owner must have at most 1404 bytes of UTF-8; got 1405'),
      )
    })

    it('a plant is listed whole after max_allowed_packet was lowered below its size', async () => {
      const large = { id: 1n, name: 'ł'.repeat(1_500_000), tag: 'x'.repeat(3_000_000) }
      await (await emptyStorage(pool)).create('alice', large)
      await setGlobal('max_allowed_packet = 2097152', 'max_allowed_packet = 16777216')
      const [found] = await mysqlStorage(poolWith()).list('alice', { limit: 2 })
      expect(found).toEqual(large)
    })

    it('a plant that is larger than max_allowed_packet is refused, with the setting to raise', async () => {
      await setGlobal('max_allowed_packet = 32768', 'max_allowed_packet = 16777216')
      const large = { id: 1n, name: 'x'.repeat(33_000) }
      const failure = await failureOf(mysqlStorage(poolWith()).create('alice', large))
      expect(failure).not.toBeInstanceOf(StorageUnavailableError)
      expect(failure).toMatchObject({
        message: expect.stringContaining("Raise the server's max_allowed_packet above the size"),
        cause: { errno: 1153 },
      })
    })

    it.each([0, 1])('sql_select_limit = %i changes nothing', async (limit) => {
      await emptyStorage(pool)
      const storage = mysqlStorage(poolAfter(`SET sql_select_limit = ${limit}`))
      await storage.migrate()
      await createListDelete(storage)
    })
  })
})

const row = ['app', '1']

it.each<[string, unknown, string]>([
  ['a pool of mariadb as it is', [row], 'an array'],
  ['three of them', [[[row], [row], [row]]], 'an array. Wrap'],
  ['a row of one value', [[['app']]], 'an array. Wrap'],
  [
    'nothing, since it takes a callback',
    undefined,
    'undefined. Wrap a pool of mariadb: { execute: async (statement, values) => [await',
  ],
])('a client that resolves to %s is told what to resolve to', async (_, result, got) => {
  const storage = mysqlStorage({ execute: async () => result as [unknown] })
  const failure = await failureOf(storage.delete('alice', 1n))
  expect(failure).toBeInstanceOf(TypeError)
  expect(failure.message).toMatch(
    `must resolve to [result], as mysql2's does, here with rows as result; got ${got}`,
  )
})

describe('an error of the driver or the server', () => {
  const storageWith = (error: Error) => mysqlStorage({ execute: () => Promise.reject(error) })

  it('of a key whose name is not at the end of the message, in another language, is told without it', async () => {
    const failure = await failureOf(
      storageWith(Object.assign(new Error('Clef en double'), { errno: 1062 })).delete('alice', 1n),
    )
    expect(failure).toMatchObject({ message: 'The unique key of the app refused this' })
    expect(failure.cause).toBe(undefined)
  })

  const storageWhere = (fails: 'read' | 'change', fail: () => Promise<never>) =>
    mysqlStorage({
      async execute({ sql }) {
        if (sql.startsWith('CREATE') === (fails === 'change')) return fail()
        return [sql.startsWith('SELECT DATABASE') ? [['app', '1']] : []]
      },
    })
  describeTries(storageWhere, [
    ...[
      ...[2006, 2013, 2055].map((errno) => ({ errno })),
      ...[
        'EPIPE',
        'PROTOCOL_CONNECTION_LOST',
        'ERR_MYSQL_CONNECTION_CLOSED',
        'ER_SOCKET_UNEXPECTED_CLOSE',
        'ER_CONNECTION_KILLED',
      ].map((code) => ({ code })),
    ].map((error): [number, 'read', object] => [2, 'read', error]),
    [1, 'change', { errno: 2013 }],
    ...[1205, 1213, 1020, 3101, 1615, 4031, 8028, 9007].map(
      (errno) => [5, 'change', { errno }] as [number, 'change', object],
    ),
  ])

  const numbered = (...numbers: number[]) => numbers.map((errno) => ({ errno }))
  describeErrors(storageWith, {
    unavailable: [
      ...[1021, 1030, 1036, 1040, 1114, 1180, 1203, 1290, 1317, 1461].map((errno) => ({
        errno,
        code: 'ER_ANY',
      })),
      ...numbered(5, 23, 1016, 1042, 3989, 8253),
      ...numbered(1045, 1049, 1226, 1698, 1792, 1820, 1836, 1874, 1927, 1969, 3024, 3118, 4151),
      // ProxySQL, MaxScale, RDS Proxy, Aurora, TiDB.
      ...numbered(2003, 2006, 2013, 2055, 9001, 9501, 1815, 8001, 8252, 9003, 9005, 9012),
      // Vitess, PlanetScale, Aurora.
      ...[
        'target: app.-.primary: vttablet: rpc error: code = Unavailable desc = connection refused',
        'target: app.0.primary: primary is not serving, there is a reparent operation in progress',
        'vttablet: rpc error: code = ResourceExhausted desc = query pool wait time exceeded',
        'vttablet: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
        'vttablet: rpc error: code = Aborted desc = transaction 7: in use: for tx killer rollback',
        'no healthy tablet available for keyspace:"app" shard:"0" tablet_type:PRIMARY',
        'VT14002: no available connection',
        'operation not allowed in state SHUTTING_DOWN',
        'vttablet: unexpected EOF',
        'The last transaction was aborted due to Seamless Scaling. Please retry.',
      ].map((message) => ({ errno: 1105, message })),
      { errno: -104, code: 'ECONNRESET' },
      { errno: 0, code: 'ECONNRESET' },
      { code: 'EAI_AGAIN' },
      { code: 'PROTOCOL_CONNECTION_LOST', fatal: true },
      { code: 'PROTOCOL_SEQUENCE_TIMEOUT' },
      { errno: 45009, code: 'ER_SOCKET_UNEXPECTED_CLOSE', sqlState: '08S01' },
      { errno: 45028, code: 'ER_GET_CONNECTION_TIMEOUT', sqlState: 'HY000' },
      { message: 'Destroyed by the app', fatal: true },
      { message: "Can't add new command when connection is in closed state", fatal: true },
    ],
    others: [
      ...numbered(1451, 3819, 4025, 1142, 1644),
      { errno: 1105, message: 'VT12001: unsupported: INSERT with a window function' },
      { code: 'ERR_INVALID_ARG_TYPE' },
      {
        code: 'HANDSHAKE_NO_SSL_SUPPORT',
        message: 'Server does not support secure connection',
      },
      { name: 'TypeError', message: "Cannot read properties of undefined (reading 'connection')" },
      'Pool is closed.',
    ],
  })
})
