import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { createListDelete, expectEachCallToThrow } from './each-call.ts'

/** A server of PostgreSQL or MySQL. Pools of pg and of mysql2 are alike here. */
interface Database {
  readonly module: 'postgres' | 'mysql'
  storageOf(client: any, options?: { table?: string }): Storage
  /** Makes a pool that is ended when the test is finished. */
  poolWith(config?: object): Pool
  /** Opens a single connection. */
  connect(): Promise<Pool & { end(): Promise<void> }>
  /** The setting of a pool of one connection. */
  readonly one: object
  /** The errors of pools whose connections are all taken, and the settings that cause them. */
  readonly fullPools: readonly (readonly [message: string, config: object])[]
  readonly longestName: number
  /** Settings of a pool that parses what the server sends in another way. */
  readonly settings: readonly object[]
  /** Counts the statements that the connection of a pool has prepared. */
  countPrepared(one: any): Promise<number | null>
  /** What may follow `ALTER TABLE $table` for a plant store's table. */
  readonly rightChanges: readonly (readonly [what: string, change: string])[]
  /** What may not, and what the message says that the table has. */
  readonly wrongChanges: readonly (readonly [what: string, change: string, message: RegExp])[]
  /** Schemas of an app that refuse a second plant of one name, and what the error names. */
  readonly refusals: readonly (readonly [what: string, sql: string, name: string])[]
}

interface Pool {
  query(sql: string): Promise<unknown>
}
type Storage = PlantStorage & { migrate(): Promise<void> }

const plant = { id: 1n, name: 'Fern' }

/** Tests what each storage on a database server does alike. */
export function describeDatabase(database: Database): void {
  const { module, storageOf, poolWith, one, longestName } = database

  async function emptyStorage(client = poolWith()): Promise<Storage> {
    await client.query('DELETE FROM plants')
    return storageOf(client)
  }

  /** A storage on a new table that an app has changed by SQL, in which it is called `$table`. */
  async function storageAfter(sql: string): Promise<Storage> {
    const table = `changed_${Math.random().toString(36).slice(2)}`
    await storageOf(poolWith(), { table }).migrate()
    await poolWith().query(sql.replaceAll('$table', table))
    return storageOf(poolWith(), { table })
  }

  it.each(database.settings)('may be on a pool with any settings: %j', async (config) => {
    await createListDelete(storageOf(poolWith(config)))
  })

  it('says how many calls it works on at once, which is the size of the pool', async () => {
    const connection = await database.connect()
    onTestFinished(() => connection.end())
    const pool: any = poolWith()
    const wrapper = { query: pool.query.bind(pool), execute: pool.execute?.bind(pool) }
    const sizes: [client: object, size: number | undefined][] = [
      [pool, 10],
      [poolWith(one), 1],
      [connection, 1],
      [wrapper, undefined],
      [Object.assign(poolWith(), { maxConcurrentCalls: 7 }), 7],
      [{ ...wrapper, maxConcurrentCalls: 0 }, undefined],
    ]
    for (const [client, size] of sizes) expect(storageOf(client).maxConcurrentCalls).toBe(size)
    expect({ ...storageOf(pool) }.maxConcurrentCalls).toBe(10)
  })

  it('refuses a change on a connection that the app has left in a transaction, and tells the cause', async () => {
    const pool = poolWith(one)
    const connection = await database.connect()
    onTestFinished(() => connection.end())
    for (const client of [pool, connection]) {
      const storage = await emptyStorage(client)
      await storage.list('alice', { limit: 1 })
      for (const call of [() => storage.create('alice', plant), () => storage.delete('bob', 1n)]) {
        await client.query('BEGIN')
        const failure = await failureOf(call())
        expect(failure).not.toBeInstanceOf(StorageUnavailableError)
        expect(failure.message).toContain('in a transaction that the app has left open')
        // The pool of pg drops the connection.
        const isOpen = module === 'mysql' || client === connection
        if (isOpen) expect(await failureOf(storage.delete('bob', 1n))).toEqual(failure)
        else expect(await storage.delete('bob', 1n)).toBe(false)
        await client.query('ROLLBACK')
      }
      expect(await storage.list('alice', { limit: 1 })).toEqual([])
      expect(await storage.create('alice', plant)).toBe(true)
    }
  })

  it('sends a read again once if its connection breaks, but no create or delete, which may be committed', async () => {
    const pool: any = poolWith()
    const broken = Object.assign(new Error('Connection lost'), { code: 'ECONNRESET' })
    const lost = vi.fn(() => Promise.reject(broken))
    let sent = 0
    let isLost = (_sent: number) => false
    const sendBy =
      (method: string) =>
      (...call: unknown[]) =>
        isLost(++sent) ? lost() : pool[method](...call)
    const storage = storageOf({ query: sendBy('query'), execute: sendBy('execute') })
    await storage.list('alice', { limit: 1 })
    isLost = () => true
    for (const [times, call] of [
      [2, () => storage.list('alice', { limit: 1 })],
      [1, () => storage.create('alice', plant)],
      [1, () => storage.delete('alice', 1n)],
    ] as const) {
      lost.mockClear()
      expect(await failureOf(call())).toBeInstanceOf(StorageUnavailableError)
      expect(lost).toHaveBeenCalledTimes(times)
    }
    // What a call reads before it says that there is nothing.
    isLost = (sent) => sent === 2
    sent = 0
    expect(await storage.list('nobody', { limit: 1 })).toEqual([])
    sent = 0
    lost.mockClear()
    expect(await storage.delete('nobody', 1n)).toBe(false)
    expect(lost).toHaveBeenCalledOnce()
  })

  it('prepares each statement once per connection', async () => {
    const client = poolWith(one)
    const storage = storageOf(client)
    await createListDelete(storage)
    const prepared = await database.countPrepared(client)
    expect(prepared).toBeGreaterThan(3)
    await createListDelete(storage)
    expect(await database.countPrepared(client)).toBe(prepared)
  })

  describe('migrate', () => {
    it.each(database.settings)(
      'may run in many processes at once, with the settings %j',
      async (config) => {
        const name = `at_once_${Math.random().toString(36).slice(2)}`
        await poolWith().query(`CREATE DATABASE ${name}`)
        const starting = Array.from({ length: 8 }, () => poolWith({ ...config, database: name }))
        await Promise.all(starting.map((pool) => storageOf(pool).migrate()))
        await Promise.all(starting.map((pool) => storageOf(pool).migrate()))
      },
    )

    it.each(database.rightChanges)('accepts %s, after a restart too', async (_, change) => {
      const storage = await storageAfter(`ALTER TABLE $table ${change}`)
      await createListDelete(storage)
      await storage.migrate()
    })

    it.each(database.wrongChanges)(
      'refuses a table with %s, as each call does, and says what to do',
      async (_, change, message) => {
        const storage = await storageAfter(`ALTER TABLE $table ${change}`)
        const refusal = await failureOf(storage.migrate())
        expect(refusal).not.toBeInstanceOf(StorageUnavailableError)
        expect(refusal.message).toMatch(message)
        expect(refusal.message).toMatch(
          /^The table .*changed_\w+["`] is not a plant store's\. .*option \{ table \}/,
        )
        await expectEachCallToThrow(storage, refusal)
      },
    )

    it('refuses a view of that name', async () => {
      await poolWith().query('CREATE VIEW viewed AS SELECT * FROM plants')
      const viewed = storageOf(poolWith(), { table: 'viewed' })
      await expect(viewed.migrate()).rejects.toThrow("not a plant store's")
    })

    it('does not need the right to create tables if the table exists', async () => {
      await poolWith().query('CREATE USER clerk')
      await poolWith().query('GRANT SELECT, INSERT, DELETE ON plants TO clerk')
      const storage = storageOf(poolWith({ user: 'clerk' }))
      await storage.migrate()
      expect(await storage.create('clerk', plant)).toBe(true)
    })

    it('can be done by hand with the SQL that is printed', async () => {
      await poolWith().query('CREATE DATABASE by_hand')
      const file = fileURLToPath(new URL(`../../../src/storage/${module}.ts`, import.meta.url))
      const print = `require(${JSON.stringify(file)}).${module}Migration({ table: 'order' })`
      const sql = execFileSync(process.execPath, ['-p', print], { encoding: 'utf8' })
      const byHand = poolWith({ database: 'by_hand' })
      await byHand.query(sql)
      await byHand.query(sql)
      await createListDelete(storageOf(byHand, { table: 'order' }))
    })
  })

  describe('table', () => {
    it.each(['order', 'Garden_Plants', 'garden.plants', 'a'.repeat(longestName)])(
      '%s keeps plants of its own, on the same connection',
      async (table) => {
        await poolWith().query('CREATE SCHEMA IF NOT EXISTS garden')
        const client = poolWith(one)
        const plants = await emptyStorage(client)
        const others = storageOf(client, { table })
        await others.migrate()
        await others.migrate()
        expect(await others.create('alice', { ...plant, tag: 'green' })).toBe(true)
        expect(await others.create('alice', plant)).toBe(false)
        expect(await plants.list('alice', { limit: 2 })).toEqual([])
        expect(await plants.delete('alice', 1n)).toBe(false)
        expect(await others.list('alice', { limit: 2 })).toEqual([{ ...plant, tag: 'green' }])
        expect(await others.delete('alice', 1n)).toBe(true)
      },
    )

    it('that is missing is not reported as unavailable, and the message says how to create it', async () => {
      const failure = await failureOf(
        storageOf(poolWith(), { table: 'missing' }).create('a', plant),
      )
      expect(failure).not.toBeInstanceOf(StorageUnavailableError)
      expect(failure.message).toMatch(
        /missing["`] does not exist\. Call storage\.migrate\(\) once, or run the SQL that (mysql|postgres)Migration\(\) returns/,
      )
    })
  })

  it.each(database.fullPools)(
    'a pool without a free connection is unavailable until there is one: %s',
    async (message, config) => {
      const small: any = poolWith({ ...one, ...config })
      const storage = storageOf(small)
      const taken = await (small.getConnection?.() ?? small.connect())
      const waiting = small.query('SELECT 1').catch(() => {})
      const failure = await failureOf(storage.create('busy', plant))
      expect(failure).toMatchObject({ name: 'StorageUnavailableError', message })
      taken.release()
      await waiting
      expect(await storage.create('busy', plant)).toBe(true)
      expect(await storage.delete('busy', 1n)).toBe(true)
    },
  )

  it.each(database.refusals)(
    'a create that %s refuses is no duplicate id, and the error tells what has refused it',
    async (_, sql, name) => {
      const storage = await storageAfter(sql)
      expect(await storage.create('alice', plant)).toBe(true)
      const failure = await failureOf(storage.create('alice', { ...plant, id: 2n }))
      expect(failure).not.toBeInstanceOf(StorageUnavailableError)
      expect(failure.message).toContain(name)
      // The log has the stack. The detail of PostgreSQL's error has the owner.
      expect(failure.stack).not.toMatch(/alice|Fern/)
      expect(await storage.create('alice', plant)).toBe(false)
      expect(await storage.list('alice', { limit: 9 })).toEqual([plant])
    },
  )

  it.each([
    undefined,
    null,
    new TypeError("Cannot read properties of undefined (reading 'query')"),
  ])('a client that rejects with %s has a bug', async (reason) => {
    const reject = () => Promise.reject(reason)
    const storage = storageOf({ query: reject, execute: reject })
    expect(await failureOf(storage.delete('alice', 1n))).toBe(reason)
  })
}
