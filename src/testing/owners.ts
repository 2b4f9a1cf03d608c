import { longLookAlikes, lookAlikes, SUPPORTED_OWNER_BYTES } from './look-alikes.ts'
import { newOwner, randomId } from './new-owner.ts'
import { type ContractTests, plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept, show } from './violation.ts'

export const owners: ContractTests = {
  'owners are compared exactly: similar names are different owners': (storage) =>
    tellsApart(storage, lookAlikes),

  [`owners of up to ${SUPPORTED_OWNER_BYTES} bytes of UTF-8 are stored and compared in full`]: (
    storage,
  ) => tellsApart(storage, longLookAlikes),

  'the key is the pair of owner and id, not their concatenation': async (storage) => {
    const base = newOwner()
    const names = ['', '-', '1', ':1', '/1', '_1', '.1', ',1', ' 1', '|1', '#1']
    const owners = [
      ...names.map((end) => base + end),
      ...['1', '11', '-1', '1:'].map((start) => start + base),
    ]
    const plants = [-11n, -1n, 1n, 11n, 111n].map(plantOf)
    for (const owner of owners) await storage.mustCreate(owner, ...plants)
    for (const owner of owners) await storage.mustListAll(owner, ...plants)
    for (const owner of owners) {
      await storage.mustDelete(owner, 1n)
      await storage.mustListAll(owner, ...plants.filter(({ id }) => id !== 1n))
    }
  },

  'an owner cannot see, block or delete another owner’s plant': async (storage) => {
    const [alice, bob] = [newOwner(), newOwner('bob')]
    await storage.mustCreate(alice, plantOf(1n), plantOf(2n))
    await storage.mustNotDelete(bob, 1n)
    await storage.mustCreate(bob, { id: 1n, name: 'Bob’s' })
    await storage.mustListAll(bob, { id: 1n, name: 'Bob’s' })
    await storage.mustDelete(bob, 1n)
    await storage.mustListAll(bob)
    await storage.mustListAll(alice, plantOf(1n), plantOf(2n))
  },
}

/**
 * Creates a plant with the same id for each owner, then deletes them one by one. The id is one that nobody has, since
 * such an owner may have plants of their own.
 */
async function tellsApart(storage: StorageUnderTest, owners: readonly string[]): Promise<void> {
  const id = randomId()
  const plants = owners.map((owner, index) => ({ owner, id, name: `plant ${index}` }))
  for (const { owner, ...plant } of plants) await storage.mustCreate(owner, plant)
  await storage.reopen()
  for (const { owner, ...plant } of plants) await mustHave(owner, [plant.name])
  for (const owner of owners) {
    await storage.mustDelete(owner, id)
    await storage.mustNotDelete(owner, id)
    await mustHave(owner, [])
  }

  async function mustHave(owner: string, names: string[]): Promise<void> {
    const query = { after: id - 1n, limit: 2 }
    const found = (await storage.list(owner, query)).filter((plant) => plant.id === id)
    const isRight = found.map(({ name }) => name).join() === names.join()
    const call = `list(${show(owner)}, ${show(query)})`
    assertKept(isRight, `${call} had ${show(found)}, expected the names ${show(names)}`)
  }
}
