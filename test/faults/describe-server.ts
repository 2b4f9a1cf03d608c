import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../src/plant-storage.ts'
import { skipBecause } from '../shared/skip.ts'
import { startLoad } from './load.ts'
import type { FaultyProxy } from './proxy.ts'

// The number of times that each fault is injected.
// For a soak of an hour: FAULT_ROUNDS=500 npx vitest run test/faults/postgres
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3)

/** A database server, behind a proxy that can fail, and storages on it. */
export interface Engine {
  readonly connection: object
  readonly proxy: FaultyProxy
  start(): Promise<void>
  stop(): Promise<void>
  /** Ends the server and the proxy. */
  remove(): Promise<unknown>
  empty(): Promise<unknown>
  open(way?: Way): PlantStorage
  /** Ends the pools that were opened. */
  endPools(): Promise<void>
  /** Locks the table, and returns the function that unlocks it. */
  lock(): Promise<() => Promise<unknown>>
  /** Counts the statements that wait for the lock. */
  countWaiting(): Promise<number>
}

/** How a storage is connected. Default: directly, by a pool of the driver's own size. */
export interface Way {
  readonly isThroughProxy?: boolean
  /** The size of the pool. */
  readonly size?: number
  /** Within how many ms the server must respond, as the guide sets it in the driver. */
  readonly silenceMs?: number
  /** After how many ms the server gives a statement up. */
  readonly statementMs?: number
}

const fern = { id: 1n, name: 'Fern' }

/**
 * Tests a storage while its database server, or the way to it, fails.
 *
 * @param describeMore defines the tests of this server only
 */
export function describeServer(
  name: string,
  missing: string | false | undefined,
  createEngine: () => Promise<Engine>,
  describeMore: (engine: () => Engine, emptyStorage: (way?: Way) => Promise<PlantStorage>) => void,
): void {
  describe(`on ${name}`, () => {
    skipBecause(missing)
    let engine: Engine
    beforeAll(async () => {
      if (!missing) engine = await createEngine()
    })
    afterEach(() => engine?.endPools())
    afterAll(() => engine?.remove())

    async function emptyStorage(way?: Way): Promise<PlantStorage> {
      await engine.empty()
      return engine.open(way)
    }

    it('nothing is wrong under load when the server restarts', async () => {
      const load = startLoad(await emptyStorage())
      for (let round = 0; round < ROUNDS; round++) {
        await load.answered(500)
        await engine.stop()
        await engine.start()
      }
      await load.answered(500)
      expect((await load.finish()).violations).toEqual([])
    })

    it('nothing is wrong under load when connections break between commit and reply', async () => {
      const load = startLoad(await emptyStorage({ isThroughProxy: true }))
      for (let round = 0; round < ROUNDS; round++) {
        await load.answered(300)
        engine.proxy.swallowReplies(8)
      }
      await load.answered(300)
      const { unknown, violations } = await load.finish()
      expect(violations).toEqual([])
      expect(unknown).toBeGreaterThan(0)
    })

    it('a create or delete whose reply is lost is not sent again', async () => {
      const storage = await emptyStorage()
      const throughProxy = engine.open({ isThroughProxy: true, size: 1 })
      await throughProxy.list('alice', { limit: 1 })
      engine.proxy.swallowReplies(1)
      await expect(throughProxy.create('alice', fern)).rejects.toThrow(StorageUnavailableError)
      expect(await storage.list('alice', { limit: 2 })).toEqual([fern])
      expect(await throughProxy.create('alice', fern)).toBe(false)

      engine.proxy.swallowReplies(1)
      await expect(throughProxy.delete('alice', 1n)).rejects.toThrow(StorageUnavailableError)
      expect(await storage.list('alice', { limit: 2 })).toEqual([])
      expect(await throughProxy.delete('alice', 1n)).toBe(false)
    })

    it('a connection that falls silent is dropped as the guide says, and the next call gets a new one', async () => {
      const storage = await emptyStorage({ isThroughProxy: true, size: 1, silenceMs: 200 })
      await storage.list('alice', { limit: 1 })
      engine.proxy.silence()
      await expect(storage.create('alice', fern)).rejects.toThrow(StorageUnavailableError)
      expect(await storage.create('alice', fern)).toBe(true)
    })

    it('a lock held for long keeps no more statements on the server than the pool has connections', async () => {
      const storage = await emptyStorage({ size: 2, statementMs: 100 })
      await storage.list('alice', { limit: 1 })
      const unlock = await engine.lock()
      try {
        for (let round = 0; round < 5; round++) {
          const creates = [1n, 2n, 3n].map((id) => storage.create('alice', { id, name: 'Fern' }))
          for (const { reason } of (await Promise.allSettled(creates)) as PromiseRejectedResult[]) {
            expect(reason).toBeInstanceOf(StorageUnavailableError)
          }
        }
        expect(await engine.countWaiting()).toBeLessThanOrEqual(2)
      } finally {
        await unlock()
      }
      expect(await storage.create('alice', fern)).toBe(true)
    })

    it('several pools, as of several processes, agree on which of them created and deleted each plant', async () => {
      await engine.empty()
      const storages = [1, 2, 3].map(() => engine.open())
      const ids = Array.from({ length: 200 }, (_, id) => BigInt(id))
      const countTrue = (call: (storage: PlantStorage, id: bigint) => unknown) =>
        Promise.all(
          ids.map(async (id) => {
            const results = await Promise.all(storages.map((storage) => call(storage, id)))
            return results.filter(Boolean).length
          }),
        )
      const once = ids.map(() => 1)
      const create = (storage: PlantStorage, id: bigint) =>
        storage.create('alice', { id, name: 'Fern' })
      expect(await countTrue(create)).toEqual(once)
      expect(await countTrue((storage, id) => storage.delete('alice', id))).toEqual(once)
    })

    describeMore(() => engine, emptyStorage)
  })
}
