import { DatabaseSync } from 'node:sqlite'
import Libsql from 'libsql'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/index.ts'
import { type D1, d1Migration, d1Storage } from '../../../src/storage/d1.ts'
import { startStorages, testInWorkerd } from '../../runtimes/workerd-storage.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { folderOfTests } from '../../shared/temporary-folder.ts'
import { describeErrors } from './describe-errors.ts'
import { createListDelete, expectEachCallToThrow } from './each-call.ts'

const fern = { id: 1n, name: 'Fern' }
const REFUSE = `CREATE TRIGGER refuse_$table BEFORE INSERT ON $table WHEN NEW.owner = 'alice'
  BEGIN SELECT RAISE(ABORT, 'quota exceeded'); END`

/** Expects a storage to refuse alice's fern because of the app's schema, after it has taken bob's. */
async function expectRefusal(storage: PlantStorage, message: string): Promise<void> {
  expect(await storage.create('bob', fern)).toBe(true)
  const failure = await failureOf(storage.create('alice', fern))
  expect(failure).not.toBeInstanceOf(StorageUnavailableError)
  expect(failure.message).toContain(message)
}

describe('plants in D1', () => {
  const directory = folderOfTests()
  let workerd: Awaited<ReturnType<typeof startStorages>>

  beforeAll(async () => {
    workerd = await startStorages(directory)
  })
  afterAll(() => workerd.stop())

  testInWorkerd((...rule) => workerd.check('d1', ...rule))

  /** A storage in a new table, for which `$table` stands in the SQL of an app. */
  async function openBeside(...app: string[]) {
    const { database } = workerd
    const table = uniqueTable()
    for (const sql of [d1Migration({ table }), ...app]) {
      await database.prepare(sql.replaceAll('$table', table)).run()
    }
    return d1Storage(database as D1, { table })
  }

  it('may be in any table, apart from those in others, with columns of the app', async () => {
    const add = 'ALTER TABLE $table ADD COLUMN'
    const garden = await openBeside(`${add} price INTEGER`, `${add} sold INT NOT NULL DEFAULT 0`)
    await createListDelete(garden)
    await garden.create('gardener', fern)
    expect(await workerd.storage('d1').list('gardener', { limit: 2 })).toEqual([])
  })

  it('without a table fail with the command that creates it', async () => {
    const message =
      /no such table: missing.* d1Migration\(\{ table: 'missing' \}\) .* run npx wrangler d1 migrations apply/
    const storage = d1Storage(workerd.database as D1, { table: 'missing' })
    await expectEachCallToThrow(storage, message)
  })

  it('in a table of another application fail at the first call', async () => {
    const storage = await openBeside(
      'DROP TABLE $table',
      'CREATE TABLE $table (id INTEGER PRIMARY KEY, latin_name TEXT)',
    )
    const message =
      /^The table garden_\w+ is not a plant store's\. It has \(id INTEGER, PRIMARY KEY \(id\)\), but must have \(id INTEGER NOT NULL,/
    await expectEachCallToThrow(storage, message)
  })

  it.each([
    ['a unique index', 'CREATE UNIQUE INDEX once_$table ON $table (name)', 'UNIQUE constraint'],
    ['a trigger, whatever its message,', REFUSE, 'quota exceeded'],
  ])('that %s refuses are not unavailable, and the message tells why', async (_, sql, message) => {
    await expectRefusal(await openBeside(sql), message)
  })

  it('are not said to be created or deleted when a trigger of the app has written elsewhere', async () => {
    const trigger = (event: string) =>
      `CREATE TRIGGER ${event}_$table BEFORE ${event} ON $table BEGIN INSERT INTO log VALUES ('${event}'); END`
    const log = 'CREATE TABLE log (event)'
    const storage = await openBeside(log, trigger('INSERT'), trigger('DELETE'))
    expect(await storage.create('alice', fern)).toBe(true)
    expect(await storage.create('alice', fern)).toBe(false)
    expect(await storage.delete('alice', 1n)).toBe(true)
    expect(await storage.delete('alice', 1n)).toBe(false)
    // Those BEFORE INSERT also run if the id is taken.
    const events = await workerd.database.prepare('SELECT event FROM log').raw()
    expect(events.flat()).toEqual(['INSERT', 'INSERT', 'DELETE'])
  })

  it('look at the table once, after a migration that comes late too', async () => {
    const { database } = workerd
    const table = uniqueTable()
    const statements: string[] = []
    const prepare = (sql: string) => {
      statements.push(sql)
      return database.prepare(sql) as ReturnType<D1['prepare']>
    }
    const storage = d1Storage({ prepare }, { table })
    await expect(storage.list('alice', { limit: 1 })).rejects.toThrow(/no such table/)
    await database.prepare(d1Migration({ table })).run()
    statements.length = 0
    for (const id of [1n, 2n])
      expect(await storage.create('alice', { id, name: 'Fern' })).toBe(true)
    expect(statements).toEqual([
      `PRAGMA table_info("${table}")`,
      ...[1, 2].map(() => expect.stringContaining('INSERT')),
    ])
  })

  it('do not wait for another request, which workerd may have cancelled', async () => {
    const never = {
      all: () => new Promise<never>(() => {}),
      run: () => new Promise<never>(() => {}),
    }
    const prepare = vi.fn<D1['prepare']>((sql) => workerd.database.prepare(sql) as never)
    prepare.mockReturnValueOnce({ bind: () => never })
    const storage = d1Storage({ prepare })
    void storage.list('nobody', { limit: 1 })
    expect(await storage.list('nobody', { limit: 1 })).toEqual([])
  })

  it('are unavailable when the database can’t be reached', async () => {
    const storage = workerd.storage('unreachable d1')
    await expect(storage.list('alice', { limit: 1 })).rejects.toThrow(StorageUnavailableError)
    await expect(storage.delete('alice', 7n)).rejects.toThrow(StorageUnavailableError)
  })
})

/** An open handle of SQLite as `d1Storage` takes it. */
function handleOf(database: DatabaseSync | Libsql.Database, asText = false): D1 {
  database.exec(d1Migration())
  const toText = (_: string, value: unknown) => (typeof value === 'number' ? String(value) : value)
  return {
    prepare: (sql) => ({
      bind: (...values) => ({
        async all() {
          const rows = database.prepare(sql).all(...values)
          return { results: asText ? JSON.parse(JSON.stringify(rows), toText) : rows }
        },
      }),
    }),
  }
}

it('a function is asked for the handle of each call, with the call', async () => {
  const handle = handleOf(new DatabaseSync(':memory:'))
  const handleFor = vi.fn(() => handle)
  const storage = d1Storage(handleFor)
  const call = { signal: new AbortController().signal }
  await storage.create('alice', { id: 1n, name: 'Fern' }, call)
  await storage.delete('alice', 1n, call)
  await storage.list('alice', { limit: 1 })
  expect(handleFor.mock.calls).toEqual([[call], [call], [undefined]])
})

it.each([
  ['returns integers as numbers', () => handleOf(new DatabaseSync(':memory:'))],
  ['returns bigints', () => handleOf(new DatabaseSync(':memory:', { readBigInts: true }))],
  ['returns integers as text', () => handleOf(new DatabaseSync(':memory:'), true)],
  ['belongs to libsql, another copy of SQLite', () => handleOf(new Libsql(':memory:'))],
])('a handle is as good as another if it %s', async (_, open) => {
  await createListDelete(d1Storage(open()))
})

it.each([
  ['Node', () => new DatabaseSync(':memory:')],
  ['libsql', () => new Libsql(':memory:')],
])('a create that a trigger refuses on a handle of %s is not unavailability', async (_, open) => {
  const database = open()
  const storage = d1Storage(handleOf(database))
  database.exec(REFUSE.replaceAll('$table', 'plants'))
  await expectRefusal(storage, 'quota exceeded')
})

it('a create on a handle is undone with the transaction that the app has open', async () => {
  const database = new DatabaseSync(':memory:')
  const storage = d1Storage(handleOf(database))
  database.exec('BEGIN')
  expect(await storage.create('alice', fern)).toBe(true)
  database.exec('ROLLBACK')
  expect(await storage.list('alice', { limit: 1 })).toEqual([])
})

const uniqueTable = () => `garden_${Math.random().toString(36).slice(2)}`

describe('an error of D1', () => {
  function storageWith(error: Error) {
    const fail = () => Promise.reject(error)
    return d1Storage({ prepare: () => ({ bind: () => ({ all: fail, run: fail }) }) } satisfies D1)
  }
  describeErrors(storageWith, {
    unavailable: [
      // From https://developers.cloudflare.com/d1/observability/debug-d1/#error-list
      ...[
        'D1 DB reset because its code was updated.',
        'Internal error while starting up D1 DB storage caused object to be reset.',
        'Network connection lost.',
        'Internal error in D1 DB storage caused object to be reset.',
        'Cannot resolve D1 DB due to transient issue on remote node.',
        "Can't read from request stream because client disconnected.",
        'D1 DB storage operation exceeded timeout which caused object to be reset.',
        'D1 DB is overloaded. Requests queued for too long.',
        'D1 DB is overloaded. Too many requests queued.',
        "D1 DB's isolate exceeded its memory limit and was reset.",
        'D1 DB exceeded its CPU time limit and was reset.',
        'Exceeded maximum DB size',
        'Currently processing a long-running export.',
        'Failed to parse body as JSON, got: error code: 1031',
        "Your account has exceeded D1's maximum account storage limit, please contact Cloudflare to raise your limit.",
        "Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow.",
      ].map((message) => `D1_ERROR: ${message}`),
      'Your account is generating too much load on Durable Objects. Please back off and try again later.',
      // From https://developers.cloudflare.com/durable-objects/observability/troubleshooting/ and its limits
      ...[
        'Durable Object is overloaded. Too many requests for the same object within a 10 second window.',
        'Durable Object storage operation exceeded timeout which caused object to be reset.',
        'Connection closed: this Durable Object instance is no longer active. Reconnect or retry the request.',
        'Your account is doing too many concurrent storage operations. Please back off and try again later.',
        'Cannot access storage because object has moved to a different machine',
        'Exceeded allowed duration in Durable Objects free tier.',
        'Exceeded allowed rows written in Durable Objects free tier.',
        'Exceeded allowed volume of requests in Durable Objects free tier.',
      ],
      // Of handles
      { code: 'ERR_SQLITE_ERROR', errcode: 5, message: 'database is locked' },
      'database or disk is full',
      'attempt to write a readonly database',
      'unable to open database file',
      'out of memory: SQLITE_NOMEM',
      'database disk image is malformed',
      'D1_ERROR: D1 is temporarily unavailable',
      // Of libSQL over HTTP
      ...['SERVER_ERROR: Server returned HTTP status 429', 'Server returned HTTP status 502'],
      ...['fetch failed', 'The operation timed out.'],
      ...[{ retryable: true }, { overloaded: true }, { durableObjectReset: true }],
    ],
    others: [
      'D1_ERROR: too many SQL variables: SQLITE_ERROR',
      'D1_ERROR: string or blob too big: SQLITE_TOOBIG',
      'SERVER_ERROR: Server returned HTTP status 401',
    ],
  })
})
