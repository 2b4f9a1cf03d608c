import { describe, expect, it } from 'vitest'
import { type PlantStorage, StorageUnavailableError } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { startLoad } from './load.ts'

/** Calls of a memory storage, each of which takes effect at a later turn of the event loop. */
function asynchronous(storage = memoryStorage()): PlantStorage {
  const later = <T>(run: () => T) => new Promise<T>((resolve) => setImmediate(() => resolve(run())))
  return {
    create: (owner, plant) => later(() => storage.create(owner, plant)),
    list: (owner, query) => later(() => storage.list(owner, query)),
    delete: (owner, id) => later(() => storage.delete(owner, id)),
  }
}

/** Runs a load, and goes wrong after each 50 answers. */
async function violationsOf(storage: PlantStorage, goWrong: () => void): Promise<string[]> {
  const load = startLoad(storage)
  for (let round = 0; round < 10; round++) {
    await load.answered(50)
    goWrong()
  }
  return (await load.finish()).violations
}

/** Makes each call after a signal that fits go wrong once. */
function once(wrap: (storage: PlantStorage, isDue: () => boolean) => Partial<PlantStorage>) {
  const storage = asynchronous()
  let due = false
  const isDue = () => {
    const wasDue = due
    due = false
    return wasDue
  }
  return violationsOf({ ...storage, ...wrap(storage, isDue) }, () => (due = true))
}

describe('a load', () => {
  it('reports nothing of a storage that is right or unavailable', async () => {
    const violations = await once(({ create }, isDue) => ({
      async create(owner, plant) {
        const created = await create(owner, plant)
        if (isDue()) throw new StorageUnavailableError('The reply is lost')
        return created
      },
    }))
    expect(violations).toEqual([])
  })

  it.each<[string, Parameters<typeof once>[0]]>([
    [
      'acknowledges a create that it loses',
      ({ create }, isDue) => ({
        create: async (owner, plant) => isDue() || create(owner, plant),
      }),
    ],
    [
      'fails with an error of another kind',
      ({ list }, isDue) => ({
        async list(owner, query) {
          if (isDue()) throw new Error('database disk image is malformed')
          return list(owner, query)
        },
      }),
    ],
  ])('reports a storage that %s', async (_, wrap) => {
    expect(await once(wrap)).not.toEqual([])
  })
})
