import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { skipBecause } from '../shared/skip.ts'
import { startLoad } from './load.ts'
import type { FaultyProxy } from './proxy.ts'

// The number of times that replies are lost.
// For a soak of an hour: FAULT_ROUNDS=500 npx vitest run test/faults/postgres
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3)

/** A database server, behind a proxy that can fail, and storages on it. */
export interface Engine {
  readonly proxy: FaultyProxy
  /** Ends the server and the proxy. */
  remove(): Promise<unknown>
  empty(): Promise<unknown>
  /** Opens a storage through the proxy. */
  open(way?: Way): PlantStorage
  /** Ends the pools that were opened. */
  endPools(): Promise<void>
}

/** How a storage is connected. */
export interface Way {
  /** The size of the pool. Default: the driver's own. */
  readonly size?: number
  /** Within how many ms the server must respond, as the guide sets it in the driver. */
  readonly silenceMs?: number
}

export const fern = { id: 1n, name: 'Fern' }

/**
 * Tests a storage while the way to its database server fails.
 *
 * @param describeMore defines the tests of this server only
 */
export function describeServer<E extends Engine>(
  name: string,
  missing: string | false | undefined,
  createEngine: () => Promise<E>,
  describeMore: (engine: () => E, emptyStorage: (way?: Way) => Promise<PlantStorage>) => void,
): void {
  describe(`on ${name}`, () => {
    skipBecause(missing)
    let engine: E
    beforeAll(async () => {
      if (!missing) engine = await createEngine()
    })
    afterEach(() => engine?.endPools())
    afterAll(() => engine?.remove())

    async function emptyStorage(way?: Way): Promise<PlantStorage> {
      await engine.empty()
      return engine.open(way)
    }

    it('nothing is wrong under load when connections break between commit and reply', async () => {
      const load = startLoad(await emptyStorage())
      for (let round = 0; round < ROUNDS; round++) {
        await load.answered(300)
        engine.proxy.swallowReplies(8)
      }
      await load.answered(300)
      const { unknown, violations } = await load.finish()
      expect(violations).toEqual([])
      expect(unknown).toBeGreaterThan(0)
    })

    it('a connection that falls silent is dropped as the guide says, and the next call gets a new one', async () => {
      const storage = await emptyStorage({ size: 1, silenceMs: 200 })
      await storage.list('alice', { limit: 1 })
      engine.proxy.silence()
      await expect(storage.create('alice', fern)).rejects.toThrow(StorageUnavailableError)
      expect(await storage.create('alice', fern)).toBe(true)
    })

    describeMore(() => engine, emptyStorage)
  })
}
