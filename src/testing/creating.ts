import { delicateIds } from './delicate-ids.ts'
import type { Tests } from './subject.ts'

export const creating: Tests = {
  'create answers true, and the plant is seen by every later call': async (storage) => {
    await storage.creates('alice', { id: 7n, name: 'Monstera', tag: 'indoor' })
    await storage.holds('alice', { id: 7n, name: 'Monstera', tag: 'indoor' })
    await storage.creates('alice', { id: 3n, name: 'Fern' })
    await storage.holds(
      'alice',
      { id: 3n, name: 'Fern' },
      { id: 7n, name: 'Monstera', tag: 'indoor' },
    )
  },

  'create answers false, and changes nothing, when the owner already has that id': async (
    storage,
  ) => {
    const plants = [
      { id: -1n, name: 'Aloe', tag: 'a' },
      { id: 0n, name: 'Basil' },
      { id: 1n, name: 'Cactus', tag: '' },
    ]
    await storage.creates('alice', ...plants)
    for (const { id } of plants) {
      await storage.refuses('alice', { id, name: 'Usurper', tag: 'other' })
      await storage.refuses('alice', { id, name: 'Usurper' })
      await storage.holds('alice', ...plants)
    }
    for (const plant of plants) await storage.refuses('alice', { ...plant })
    await storage.holds('alice', ...plants)
  },

  'only the id decides whether a plant is a new one': async (storage) => {
    const twins = [1n, 2n, 3n].map((id) => ({ id, name: 'Ivy', tag: 'climber' }))
    await storage.creates('alice', ...twins)
    await storage.holds('alice', ...twins)
  },

  'ids are exact over all of int64': async (storage) => {
    for (const owner of ['alice', 'bob']) {
      const ids = owner === 'alice' ? delicateIds : delicateIds.toReversed()
      await storage.creates(owner, ...ids.map((id) => ({ id, name: `plant ${id}` })))
    }
    const ascending = delicateIds.map((id) => ({ id, name: `plant ${id}` }))
    await storage.holds('alice', ...ascending)
    await storage.holds('bob', ...ascending)
    for (const id of delicateIds) await storage.refuses('alice', { id, name: 'Usurper' })

    const kept = ascending.filter((_, index) => index % 2 === 0)
    const dropped = ascending.filter((_, index) => index % 2 === 1)
    for (const { id } of dropped) await storage.deletes('alice', id)
    for (const { id } of dropped) await storage.misses('alice', id)
    await storage.holds('alice', ...kept)
    await storage.holds('bob', ...ascending)
  },

  'a plant created again after its delete is as it was created last': async (storage) => {
    await storage.creates('alice', { id: 0n, name: 'Old', tag: 'old' })
    await storage.deletes('alice', 0n)
    await storage.creates('alice', { id: 0n, name: 'New' })
    await storage.holds('alice', { id: 0n, name: 'New' })
    await storage.deletes('alice', 0n)
    await storage.creates('alice', { id: 0n, name: 'Newest', tag: 'new' })
    await storage.refuses('alice', { id: 0n, name: 'Usurper' })
    await storage.holds('alice', { id: 0n, name: 'Newest', tag: 'new' })
  },

  'a stored plant does not change with the objects that came in and went out': async (storage) => {
    const given = { id: 1n, name: 'Monstera', tag: 'indoor' }
    const due = { ...given }
    await storage.creates('alice', given)
    await storage.creates('bob', given)
    const later = { id: 2n, name: 'Fern' }
    await storage.creates('alice', later)
    Object.assign(given, { id: 9n, name: 'Changed', tag: 'changed' })
    Object.assign(later, { tag: 'changed' })
    await storage.holds('alice', due, { id: 2n, name: 'Fern' })

    const listed = await storage.list('alice', { limit: 10 })
    // A storage may freeze what it gives: then there is nothing to change, which is fine too.
    for (const plant of listed) {
      Reflect.set(plant, 'name', 'Changed')
      Reflect.set(plant, 'tag', 'changed')
    }
    if (!Object.isFrozen(listed)) Reflect.set(listed, 'length', 0)
    await storage.holds('alice', due, { id: 2n, name: 'Fern' })
    await storage.holds('bob', due)
    await storage.deletes('bob', 1n)
    await storage.holds('alice', due, { id: 2n, name: 'Fern' })
  },
}
