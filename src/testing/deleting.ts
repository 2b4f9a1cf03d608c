import { newOwner } from './new-owner.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'

export const deleting: ContractTests = {
  'delete returns true and removes only that plant, or returns false and changes nothing': async (
    storage,
  ) => {
    const alice = newOwner()
    const ids = [-11n, -10n, -1n, 0n, 1n, 2n, 10n, 11n, 12n, 100n, 110n]
    const plants = ids.map((id) => ({ id, name: 'same', tag: 'same' }))
    await storage.mustCreate(alice, ...plants)
    for (const id of [-12n, -2n, 5n, 120n, 2n ** 32n]) {
      await storage.mustNotDelete(alice, id)
    }
    await storage.mustListAll(alice, ...plants)
    for (const [index, { id }] of [...plants.entries()].toReversed()) {
      await storage.mustDelete(alice, id)
      await storage.mustNotDelete(alice, id)
      await storage.mustListAll(alice, ...plants.slice(0, index))
    }
    // A plant that takes the place of a deleted one gets nothing of it.
    await storage.mustCreate(alice, plantOf(3n), { id: 10n, name: '' })
    await storage.mustListAll(alice, plantOf(3n), { id: 10n, name: '' })
  },
}
