import type { ContractTests } from './storage-under-test.ts'

export const deleting: ContractTests = {
  'delete returns true for a stored plant, and later calls do not see it': async (storage) => {
    await storage.mustCreate(
      'alice',
      { id: 0n, name: 'Aloe' },
      { id: 1n, name: 'Basil', tag: 'herb' },
    )
    await storage.mustListAll(
      'alice',
      { id: 0n, name: 'Aloe' },
      { id: 1n, name: 'Basil', tag: 'herb' },
    )
    await storage.mustDelete('alice', 0n)
    await storage.mustListAll('alice', { id: 1n, name: 'Basil', tag: 'herb' })
    await storage.mustDelete('alice', 1n)
    await storage.mustListAll('alice')
    await storage.mustCreate('alice', { id: 1n, name: 'Basil' })
    await storage.mustListAll('alice', { id: 1n, name: 'Basil' })
  },

  'delete returns false and changes nothing if the owner has no plant with the id': async (
    storage,
  ) => {
    await storage.mustNotDelete('alice', 0n)
    await storage.mustNotDelete('alice', 7n)
    const plants = [-5n, 3n, 12n].map((id) => ({ id, name: `plant ${id}` }))
    await storage.mustCreate('alice', ...plants)
    for (const id of [-12n, -3n, 0n, 1n, 2n, 5n, 120n, 2n ** 32n + 3n, 2n ** 64n / 2n - 1n]) {
      await storage.mustNotDelete('alice', id)
    }
    await storage.mustListAll('alice', ...plants)
    await storage.mustDelete('alice', 3n)
    await storage.mustNotDelete('alice', 3n)
    await storage.mustNotDelete('bob', -5n)
    await storage.mustListAll('alice', plants[0]!, plants[2]!)
  },

  'delete removes only one plant': async (storage) => {
    const ids = [-11n, -10n, -1n, 0n, 1n, 2n, 10n, 11n, 12n, 100n, 110n]
    let plants = ids.map((id) => ({ id, name: 'Ivy', tag: 'same' }))
    await storage.mustCreate('alice', ...plants)
    await storage.mustCreate('bob', ...plants)
    for (const id of [1n, -1n, 0n, 110n, -11n]) {
      await storage.mustDelete('alice', id)
      plants = plants.filter((plant) => plant.id !== id)
      await storage.mustListAll('alice', ...plants)
    }
    await storage.mustListAll('bob', ...ids.map((id) => ({ id, name: 'Ivy', tag: 'same' })))
  },
}
