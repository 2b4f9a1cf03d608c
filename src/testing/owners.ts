import { longLookAlikes, lookAlikes, SUPPORTED_OWNER_BYTES } from './look-alikes.ts'
import type { ContractTests, StorageUnderTest } from './storage-under-test.ts'
import { ContractViolation, show } from './violation.ts'

export const owners: ContractTests = {
  'owners are compared exactly: similar names are different owners': (storage) =>
    tellsApart(storage, lookAlikes),

  [`owners of up to ${SUPPORTED_OWNER_BYTES} bytes of UTF-8 are stored and compared in full`]: (
    storage,
  ) => tellsApart(storage, longLookAlikes),

  'the key is the pair of owner and id, not their concatenation': async (storage) => {
    const keys: [string, bigint][] = [
      ...(['a', 'a1', 'a11', 'a-', 'a-1', '1', '11', '-', '1-'] as const).flatMap((owner) =>
        [1n, 11n, 111n, -1n, -11n].map((id): [string, bigint] => [owner, id]),
      ),
      ...(
        [':', '/', '|', ',', '#', '.', '_', ' ', '-', '\u0001', '\u001f', '\uffff'] as const
      ).flatMap((separator): [string, bigint][] => [
        [`b${separator}1`, 2n],
        [`b${separator}1${separator}`, 2n],
        [`b${separator}`, 12n],
        [`b`, 1n],
        [`2${separator}b`, 1n],
      ]),
    ]
    const plantsOf = new Map<string, Map<bigint, string>>()
    for (const [owner, id] of keys) {
      const plants = plantsOf.get(owner) ?? new Map<bigint, string>()
      plantsOf.set(owner, plants)
      if (plants.has(id)) continue
      const name = `${id} of ${owner}`
      await storage.mustCreate(owner, { id, name })
      plants.set(id, name)
    }
    for (const [owner, plants] of plantsOf) {
      const expected = [...plants].map(([id, name]) => ({ id, name }))
      await storage.mustListAll(owner, ...expected.sort((a, b) => Number(a.id - b.id)))
    }
  },

  'an owner cannot see, block or delete another owner’s plant': async (storage) => {
    await storage.mustCreate(
      'alice',
      { id: 1n, name: 'Alice’s', tag: 'a' },
      { id: 2n, name: 'Fern' },
    )
    await storage.mustListAll('bob')
    await storage.mustNotDelete('bob', 1n)
    await storage.mustCreate('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustNotDelete('bob', 2n)
    await storage.mustListAll('bob', { id: 1n, name: 'Bob’s' })
    await storage.mustDelete('bob', 1n)
    await storage.mustNotDelete('bob', 1n)
    await storage.mustListAll('bob')
    await storage.mustListAll(
      'alice',
      { id: 1n, name: 'Alice’s', tag: 'a' },
      { id: 2n, name: 'Fern' },
    )
  },
}

/** Creates a plant with the same id for each owner, then deletes some of the plants. */
async function tellsApart(storage: StorageUnderTest, owners: readonly string[]): Promise<void> {
  const plants = owners.map((owner, index) => ({ id: 1n, name: `plant ${index}`, owner }))
  for (const { owner, id, name } of plants) {
    if (await storage.create(owner, { id, name })) continue
    throw new ContractViolation(
      `create(${show(owner)}, { id: 1n, … }) returned false although only similar owners had that id`,
    )
  }
  for (const { owner, id, name } of plants) await storage.mustListAll(owner, { id, name })
  for (const [index, { owner }] of plants.entries()) {
    if (index % 2 === 0) await storage.mustDelete(owner, 1n)
  }
  for (const [index, { owner, id, name }] of plants.entries()) {
    if (index % 2 === 0) {
      await storage.mustListAll(owner)
    } else {
      await storage.mustListAll(owner, { id, name })
      await storage.mustDelete(owner, id)
    }
  }
}
