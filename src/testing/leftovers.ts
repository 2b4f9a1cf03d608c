import type { MaybePromise } from '../maybe-promise.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { settleAll } from './settle-all.ts'
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
    const pages = await settleAll(names.map((owner) => storage.list(owner, { limit: 1 })))
    const index = pages.findIndex(([plant]) => plant)
    if (index < 0) return undefined
    return `makeStorage must return an empty storage; found ${show(pages[index]![0])} of owner ${show(names[index])}. Return a new storage for each test, or delete its plants first.`
  })
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
