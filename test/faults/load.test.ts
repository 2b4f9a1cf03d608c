import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../src/errors.ts'
import type { StoredPlant } from '../../src/plant.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { random } from '../shared/random.ts'
import { brokenStorages, openers } from '../src/testing/broken-storages.ts'
import { startLoad } from './load.ts'

const broken: (typeof brokenStorages)[string] = {
  ...Object.assign({}, ...Object.values(brokenStorages)),
  'list returns its first plant twice': listing((plants) => [...plants.slice(0, 1), ...plants]),
  'list leaves its last plant out': listing((plants) => plants.slice(0, -1)),
  'ids are doubles': listing((plants) =>
    plants.map((plant) => ({ ...plant, id: BigInt(Number(plant.id)) })),
  ),
  'create throws for a duplicate'() {
    const storage = memoryStorage()
    return {
      ...storage,
      create(owner, plant) {
        if (storage.create(owner, plant)) return true
        throw new Error('UNIQUE constraint failed')
      },
    }
  },
}

function listing(change: (plants: readonly StoredPlant[]) => readonly StoredPlant[]) {
  return (): PlantStorage => {
    const storage = memoryStorage()
    return { ...storage, list: (owner, query) => change(storage.list(owner, query)) }
  }
}

/** Loads a storage each of whose calls takes effect at a later turn of the event loop, or never, or has no reply. */
async function loaded(storage: PlantStorage, seed = 1) {
  const dice = random(seed)
  async function call<T>(run: () => T): Promise<Awaited<T>> {
    const [lostAt, before, after] = [dice.below(20), dice.below(4), dice.below(4)]
    for (let turn = 0; turn < before; turn++) await new Promise(setImmediate)
    if (lostAt === 0) throw new StorageUnavailableError('The call is lost')
    const result = await run()
    for (let turn = 0; turn < after; turn++) await new Promise(setImmediate)
    if (lostAt === 1) throw new StorageUnavailableError('The reply is lost')
    return result
  }
  const load = startLoad(
    {
      create: (owner, plant) => call(() => storage.create(owner, plant)),
      list: (owner, query) => call(() => storage.list(owner, query)),
      delete: (owner, id) => call(() => storage.delete(owner, id)),
    },
    seed,
  )
  await load.answered(1000)
  return load.finish()
}

describe('a load', () => {
  it.each([1, 2, 3, 4, 5])(
    'finds nothing wrong where each call takes effect at one moment or never: %i',
    async (seed) => {
      const { unknown, violations } = await loaded(memoryStorage(), seed)
      expect(violations).toEqual([])
      expect(unknown).toBeGreaterThan(0)
    },
  )

  it.each([
    ['list leaves its last plant out', 'No order explains'],
    ['create overwrites and returns false', 'No order explains'],
    ['create throws for a duplicate', 'failed: Error: UNIQUE constraint failed'],
    ['deleted ids stay taken', 'No order explains'],
    ['delete always returns true', 'No order explains'],
    ['delete always returns false', 'No order explains'],
    ['all owners share their plants', 'No order explains'],
    ['ids are doubles', 'No order explains'],
    ['tags are lost', 'No order explains'],
    ['list is ordered by decimal text', 'not in order'],
    ['list returns its first plant twice', 'not in order'],
  ])('finds a storage where %s', async (name, violation) => {
    // Whether two calls meet in the way that goes wrong differs from load to load.
    const found: string[] = []
    for (let seed = 1; seed <= 20 && !found.some((it) => it.includes(violation)); seed++) {
      found.push(...(await loaded(openers(broken[name]!).open(), seed)).violations)
    }
    expect(found).toContainEqual(expect.stringContaining(violation))
  })
})
