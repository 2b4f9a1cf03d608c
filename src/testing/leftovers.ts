import type { MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { show } from './violation.ts'

const PROBE_OWNER = 'alice'

/**
 * Checks whether a test failed because `makeStorage` returns a storage that already has plants. This runs
 * after a failure and not before each test, since a first call could hide a bug in the storage's
 * initialization.
 *
 * @returns a message for the user, or `undefined` if a new storage has no plants of these owners
 */
export async function findLeftovers(
  makeStorage: () => MaybePromise<PlantStorage>,
  owners: ReadonlySet<string>,
): Promise<string | undefined> {
  // The failed test may have deleted the plants that it found, so leave one to find in a shared storage.
  await withStorage(makeStorage, (storage) =>
    storage.create(PROBE_OWNER, { id: 0n, name: 'leftover' }),
  )
  return withStorage(makeStorage, async (storage) => {
    const names = [...owners, PROBE_OWNER]
    for (const owner of names) {
      const [plant] = await listOne(storage, owner)
      if (!plant) continue
      return `makeStorage must return an empty storage; found ${show(plant)} of owner ${show(owner)}. Return a new storage for each test, or delete its plants first.`
    }
    return undefined
  })
}

/** None if the storage can't list the plants of this owner. */
async function listOne(storage: PlantStorage, owner: string): Promise<readonly StoredPlant[]> {
  try {
    return await storage.list(owner, { limit: 1 })
  } catch {
    return []
  }
}

async function withStorage<T>(
  makeStorage: () => MaybePromise<PlantStorage>,
  use: (storage: PlantStorage) => MaybePromise<T>,
): Promise<T> {
  const storage = await makeStorage()
  try {
    return await use(storage)
  } finally {
    await storage.close?.()
  }
}
