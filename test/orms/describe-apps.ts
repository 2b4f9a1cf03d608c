import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { testPlantStorage } from '../../src/testing.ts'
import { createFaultyProxy } from '../faults/proxy.ts'
import type { DatabaseServer } from '../shared/daemon.ts'
import { skipBecause } from '../shared/skip.ts'
import { evaluate, guideLines } from './guide-lines.ts'

/** A database, and the apps that use it by an ORM or a driver. */
export interface Engine<Server extends DatabaseServer> {
  readonly protocol: 'postgres' | 'mysql'
  /** Why it can't be used, if it can't. */
  readonly missing?: string | false
  /** The function that the lines of the guide call, by its name. */
  readonly callee: Record<string, (...args: any[]) => SqlStorage>
  /** The SQL that creates the table. */
  migration(): string
  /** By the name in the guide. Connections are dropped that are silent for so long. */
  readonly apps: Record<string, (url: string, silenceMs: number) => App | Promise<App>>
  /** The app that can't drop them. */
  readonly timeless?: string
  create(): Promise<Server>
  /** The table, in any database. */
  readonly plants: string
  /** Locks the plants of an owner. */
  lock(server: Server, owner: string): Promise<Lock>
}

type SqlStorage = PlantStorage & { migrate(): Promise<void> }

interface Lock {
  /** Interrupts the statements that wait for it, and resolves to their number. */
  interrupt(): Promise<number>
  release(): Promise<unknown>
}

/** An app's connection. */
export interface App {
  /** What the guide's line uses. */
  readonly uses: Record<string, unknown>
  readonly orm: { readonly transaction: Transaction }
  /** Runs SQL as a migration of the guide does. */
  migrate?(sql: string): PromiseLike<unknown>
  close(): Promise<unknown>
}

/** Does work of the app in a transaction. */
export type Transaction = (work: () => Promise<void>) => Promise<unknown>

const fern = { id: 1n, name: 'Fern' }

/** Tests a storage on the connections of each app. */
export function describeApps<Server extends DatabaseServer>(engine: Engine<Server>): void {
  const { apps, callee, missing, protocol } = engine
  const lines = guideLines(Object.keys(callee)[0]!)
  let server: Server
  beforeAll(async () => {
    if (!missing) server = await engine.create()
  })
  afterAll(() => server?.remove())

  async function openApp(name: string, port: number, silenceMs: number) {
    const { user, host, database } = server.connection
    const app = await apps[name]!(`${protocol}://${user}@${host}:${port}/${database}`, silenceMs)
    const storage = evaluate<SqlStorage>(lines.get(name)!, { ...callee, ...app.uses })
    return { app, storage }
  }

  it('each line of the guide is tried', () => {
    expect([...lines.keys()].sort()).toEqual(Object.keys(apps).sort())
  })

  describe.each(Object.keys(apps))('on %s', (name) => {
    skipBecause(missing)
    let app: App
    let storage: SqlStorage
    beforeAll(async () => {
      if (missing) return
      ;({ app, storage } = await openApp(name, server.connection.port, 20_000))
      await storage.migrate()
    })
    afterAll(() => app?.close())

    testPlantStorage({ describe, it }, async () => {
      await server.run(`DELETE FROM ${engine.plants}`)
      return storage
    })

    it('creates the table in a migration', async ({ skip }) => {
      if (!app.migrate) return skip('The guide has no call for it')
      await server.run(`DROP TABLE ${engine.plants}`)
      await app.migrate(engine.migration())
      expect(await storage.create('migrated', fern)).toBe(true)
    })

    it('tells the name of a constraint', async () => {
      await server.run(
        `DELETE FROM ${engine.plants}`,
        `ALTER TABLE ${engine.plants} ADD CONSTRAINT no_ferns CHECK (name <> 'Fern')`,
      )
      await expect(async () => storage.create('alice', fern)).rejects.toThrow('no_ferns')
      await server.run(`ALTER TABLE ${engine.plants} DROP CONSTRAINT no_ferns`)
    })

    it('says how many calls its pool works on at once', () => {
      expect(storage.maxConcurrentCalls).toBe(name === 'Sequelize' ? 5 : 10)
    })

    const itUnlessTimeless = it.skipIf(name === engine.timeless)
    itUnlessTimeless('replaces connections that have fallen silent', async () => {
      const proxy = await createFaultyProxy(server.connection.port, protocol)
      const silent = await openApp(name, proxy.address.port, 800)
      const list = async () => silent.storage.list('alice', { limit: 1 })
      const outcome = () =>
        list().then(
          () => 'ok',
          (error) => error.code,
        )
      const outcomes = () => Promise.all([outcome(), outcome(), outcome()])
      expect(await outcomes()).toEqual(['ok', 'ok', 'ok'])
      proxy.silence()
      expect(await outcomes()).toContain('storage_unavailable')
      // On a busy machine, a new connection may be silent for so long too.
      await expect.poll(outcomes, { timeout: 30_000 }).toEqual(['ok', 'ok', 'ok'])
      await proxy.close()
      await silent.app.close()
    })

    it('commits by itself, whatever transaction of the app is around it', async () => {
      const owner = `bystander on ${name}`
      const undone = new Error('rolled back')
      const work = async () => {
        expect(await storage.create(owner, fern)).toBe(true)
        throw undone
      }
      await expect(app.orm.transaction(work)).rejects.toBe(undone)
      expect(await storage.list(owner, { limit: 2 })).toEqual([fern])
    })

    it('is unavailable where a statement is interrupted, and changes nothing', async () => {
      await storage.create('interrupted', fern)
      const { interrupt, release } = await engine.lock(server, 'interrupted')
      const deletion = Promise.resolve(storage.delete('interrupted', 1n))
      const refused = expect(deletion).rejects.toMatchObject({ code: 'storage_unavailable' })
      await expect.poll(interrupt).toBe(1)
      await refused
      await release()
      expect(await storage.list('interrupted', { limit: 2 })).toEqual([fern])
    })

    it('is unavailable during an outage, and works again afterwards', async () => {
      const owner = `outage of ${name}`
      const calls = [
        async () => storage.list(owner, { limit: 1 }),
        async () => storage.create(owner, fern),
      ]
      await server.stop()
      try {
        for (const call of calls) {
          await expect(call()).rejects.toMatchObject({ code: 'storage_unavailable' })
        }
      } finally {
        await server.start()
      }
      await expect.poll(() => calls[1]!().catch(String), { timeout: 20_000 }).toBe(true)
    })
  })
}
