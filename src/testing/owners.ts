import { longLookAlikes, lookAlikes, SUPPORTED_OWNER_BYTES } from './look-alikes.ts'
import type { ContractTests, StorageUnderTest } from './storage-under-test.ts'

export const owners: ContractTests = {
  'owners are compared exactly: similar names are different owners': (storage) =>
    tellsApart(storage, lookAlikes),

  [`owners of up to ${SUPPORTED_OWNER_BYTES} bytes of UTF-8 are stored and compared in full`]: (
    storage,
  ) => tellsApart(storage, longLookAlikes),

  'the key is the pair of owner and id, not their concatenation': async (storage) => {
    const keys = [
      ['b', 1n] as const,
      ...['a', 'a1', 'a11', 'a-', 'a-1', '1', '11', '-', '1-'].flatMap((owner) =>
        [1n, 11n, 111n, -1n, -11n].map((id) => [owner, id] as const),
      ),
      ...[':', '/', '|', ',', '#', '.', '_', ' ', '-', '\u0001', '\u001f', '\uffff'].flatMap(
        (separator) =>
          [
            [`b${separator}1`, 2n],
            [`b${separator}1${separator}`, 2n],
            [`b${separator}`, 12n],
            [`2${separator}b`, 1n],
          ] as const,
      ),
    ]
    const nameOf = (owner: string, id: bigint) => `${id} of ${owner}`
    for (const [owner, id] of keys) await storage.mustCreate(owner, { id, name: nameOf(owner, id) })
    for (const [owner, group] of Map.groupBy(keys, ([owner]) => owner)) {
      const ids = group.map(([, id]) => id).sort((a, b) => Number(a - b))
      await storage.mustListAll(owner, ...ids.map((id) => ({ id, name: nameOf(owner, id) })))
    }
  },

  'an owner cannot see, block or delete another owner’s plant': async (storage) => {
    const ofAlice = [
      { id: 1n, name: 'Alice’s', tag: 'a' },
      { id: 2n, name: 'Fern' },
    ]
    await storage.mustCreate('alice', ...ofAlice)
    await storage.mustListAll('bob')
    await storage.mustNotDelete('bob', 1n)
    await storage.mustCreate('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustNotDelete('bob', 2n)
    await storage.mustListAll('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustDelete('bob', 1n)
    await storage.mustNotDelete('bob', 1n)
    await storage.mustListAll('bob')
    await storage.mustListAll('alice', ...ofAlice)
  },
}

/** Creates a plant with the same id for each owner, then deletes every second one of the plants. */
async function tellsApart(storage: StorageUnderTest, owners: readonly string[]): Promise<void> {
  const plants = owners.map((owner, index) => ({ owner, id: 1n, name: `plant ${index}` }))
  const deleted = plants.filter((_, index) => index % 2 === 0)
  const kept = plants.filter((_, index) => index % 2 === 1)
  for (const { owner, ...plant } of plants) await storage.mustCreate(owner, plant)
  for (const { owner, ...plant } of plants) await storage.mustListAll(owner, plant)
  for (const { owner, id } of deleted) await storage.mustDelete(owner, id)
  for (const { owner } of deleted) await storage.mustListAll(owner)
  for (const { owner, ...plant } of kept) await storage.mustListAll(owner, plant)
}
