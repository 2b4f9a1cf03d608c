import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../../src/plant-storage.ts'
import { failureOf } from '../../shared/failure-of.ts'
import { freePort } from '../../shared/free-port.ts'

/** A server of PostgreSQL or MySQL. Pools of pg and of mysql2 are alike here. */
interface Database {
  readonly module: 'postgres' | 'mysql'
  storageOf(client: any, options?: { table?: string }): Storage
  /** Makes a pool that is ended when the test is finished. */
  poolWith(config?: object): { query(sql: string): Promise<unknown> }
  /** The setting of a pool of one connection. */
  readonly one: object
  readonly createUser: string
  /** Creates what a qualified name of a table begins with. */
  readonly createGarden: string
  readonly longestName: number
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

  describe('migrate', () => {
    it('leaves the plants as they are', async () => {
      const storage = await emptyStorage()
      await storage.create('alice', plant)
      await storage.migrate()
      expect(await storage.list('alice', { limit: 10 })).toEqual([plant])
    })

    it('does not need the right to create tables if the table exists', async () => {
      await poolWith().query(database.createUser)
      await poolWith().query('GRANT SELECT, INSERT, DELETE ON plants TO clerk')
      const storage = storageOf(poolWith({ user: 'clerk' }))
      await storage.migrate()
      expect(await storage.create('clerk', plant)).toBe(true)
    })

    it.each(['plants', 'order'])(
      'can be done by hand with the SQL that is printed (%s)',
      async (table) => {
        await poolWith().query(`CREATE DATABASE by_hand_${table}`)
        const options = table === 'plants' ? {} : { table }
        const file = fileURLToPath(new URL(`../../../src/storage/${module}.ts`, import.meta.url))
        const print = `require(${JSON.stringify(file)}).${module}Migration(${JSON.stringify(options)})`
        const sql = execFileSync(process.execPath, ['-p', print], { encoding: 'utf8' })
        const byHand = poolWith({ database: `by_hand_${table}` })
        await byHand.query(sql)
        await byHand.query(sql)
        const storage = storageOf(byHand, options)
        await storage.migrate()
        expect(await storage.create('alice', plant)).toBe(true)
      },
    )
  })

  describe('table', () => {
    it.each(['order', 'Garden_Plants', 'garden.plants', 'a'.repeat(longestName)])(
      '%s keeps plants of its own, on the same connection',
      async (table) => {
        await poolWith().query(database.createGarden)
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
      expect(failure.message).toMatch(/missing["`] does not exist\. Call storage\.migrate\(\)/)
    })
  })

  it('a server that does not listen is unavailable', async () => {
    const storage = storageOf(poolWith({ port: await freePort() }))
    const failure = await failureOf(storage.create('alice', plant))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure.cause).toMatchObject({ code: 'ECONNREFUSED' })
  })

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
