import type { Tests } from './subject.ts'

export const deleting: Tests = {
  'delete answers true when it removed the plant, and it is gone for every later call': async (
    storage,
  ) => {
    await storage.creates('alice', { id: 0n, name: 'Aloe' }, { id: 1n, name: 'Basil', tag: 'herb' })
    await storage.holds('alice', { id: 0n, name: 'Aloe' }, { id: 1n, name: 'Basil', tag: 'herb' })
    await storage.deletes('alice', 0n)
    await storage.holds('alice', { id: 1n, name: 'Basil', tag: 'herb' })
    await storage.deletes('alice', 1n)
    await storage.holds('alice')
    await storage.creates('alice', { id: 1n, name: 'Basil' })
    await storage.holds('alice', { id: 1n, name: 'Basil' })
  },

  'delete answers false, and changes nothing, when the owner has no plant with that id': async (
    storage,
  ) => {
    await storage.misses('alice', 0n)
    await storage.misses('alice', 7n)
    const plants = [-5n, 3n, 12n].map((id) => ({ id, name: `plant ${id}` }))
    await storage.creates('alice', ...plants)
    for (const id of [-12n, -3n, 0n, 1n, 2n, 5n, 120n, 2n ** 32n + 3n, 2n ** 64n / 2n - 1n]) {
      await storage.misses('alice', id)
    }
    await storage.holds('alice', ...plants)
    await storage.deletes('alice', 3n)
    await storage.misses('alice', 3n)
    await storage.misses('bob', -5n)
    await storage.holds('alice', plants[0]!, plants[2]!)
  },

  'delete removes no plant but the one': async (storage) => {
    const ids = [-11n, -10n, -1n, 0n, 1n, 2n, 10n, 11n, 12n, 100n, 110n]
    let plants = ids.map((id) => ({ id, name: 'Ivy', tag: 'same' }))
    await storage.creates('alice', ...plants)
    await storage.creates('bob', ...plants)
    for (const id of [1n, -1n, 0n, 110n, -11n]) {
      await storage.deletes('alice', id)
      plants = plants.filter((plant) => plant.id !== id)
      await storage.holds('alice', ...plants)
    }
    await storage.holds('bob', ...ids.map((id) => ({ id, name: 'Ivy', tag: 'same' })))
  },
}
