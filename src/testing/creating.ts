import { edgeCaseIds } from './edge-case-ids.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'

export const creating: ContractTests = {
  'create returns true for a new id; for a taken one it returns false and changes nothing': async (
    storage,
  ) => {
    const plants = [{ ...plantOf(-1n), tag: 'a' }, plantOf(0n), plantOf(1n)]
    await storage.mustCreate('alice', ...plants)
    await storage.mustListAll('alice', ...plants)
    for (const { id } of plants) {
      for (const plant of plants) await storage.mustNotCreate('alice', { ...plant, id })
    }
    await storage.mustListAll('alice', ...plants)
  },

  'ids are exact over the whole int64 range': async (storage) => {
    const plants = edgeCaseIds.map(plantOf)
    await storage.mustCreate('alice', ...plants.toReversed())
    await storage.mustListAll('alice', ...plants)
    for (const plant of plants) await storage.mustNotCreate('alice', plant)

    const kept = plants.filter((_, index) => index % 2 === 0)
    const dropped = plants.filter((_, index) => index % 2 === 1)
    for (const { id } of dropped) await storage.mustDelete('alice', id)
    for (const { id } of dropped) await storage.mustNotDelete('alice', id)
    await storage.mustListAll('alice', ...kept)
  },

  'stored plants are independent of the objects passed in and returned': async (storage) => {
    const given = { ...plantOf(1n) }
    await storage.mustCreate('alice', given)
    given.name += ' changed'
    await storage.mustListAll('alice', plantOf(1n))

    const listed = await storage.list('alice', { limit: 10 })
    // A storage may freeze its results. Reflect.set then returns false instead of throwing.
    Reflect.set(listed[0]!, 'name', given.name)
    Reflect.set(listed, 'length', 0)
    await storage.mustListAll('alice', plantOf(1n))
  },
}
