import { longLookAlikes, lookAlikes, SUPPORTED_OWNER_BYTES } from './look-alikes.ts'
import { type ContractTests, plantOf, type StorageUnderTest } from './storage-under-test.ts'

export const owners: ContractTests = {
  'owners are compared exactly: similar names are different owners': (storage) =>
    tellsApart(storage, lookAlikes),

  [`owners of up to ${SUPPORTED_OWNER_BYTES} bytes of UTF-8 are stored and compared in full`]: (
    storage,
  ) => tellsApart(storage, longLookAlikes),

  'the key is the pair of owner and id, not their concatenation': async (storage) => {
    const keys = ['a', 'a-', 'a:1'].flatMap((owner) => [-1n, 1n].map((id) => [owner, id] as const))
    for (const [owner, id] of keys) await storage.mustCreate(owner, plantOf(id))
    for (const [owner, group] of Map.groupBy(keys, ([owner]) => owner)) {
      await storage.mustListAll(owner, ...group.map(([, id]) => plantOf(id)))
    }
  },

  'an owner cannot see, block or delete another owner’s plant': async (storage) => {
    await storage.mustCreate('alice', plantOf(1n), plantOf(2n))
    await storage.mustNotDelete('bob', 1n)
    await storage.mustCreate('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustListAll('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustDelete('bob', 1n)
    await storage.mustListAll('bob')
    await storage.mustListAll('alice', plantOf(1n), plantOf(2n))
  },
}

/** Creates a plant with the same id for each owner, then deletes them one by one. */
async function tellsApart(storage: StorageUnderTest, owners: readonly string[]): Promise<void> {
  const plants = owners.map((owner, index) => ({ owner, id: 1n, name: `plant ${index}` }))
  for (const { owner, ...plant } of plants) await storage.mustCreate(owner, plant)
  for (const { owner, ...plant } of plants) await storage.mustListAll(owner, plant)
  for (const owner of owners) {
    await storage.mustDelete(owner, 1n)
    await storage.mustListAll(owner)
  }
}
