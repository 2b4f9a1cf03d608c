import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import type { StoredPlant } from '../plant.ts'
import { edgeCaseIds } from './edge-case-ids.ts'
import { newOwner } from './new-owner.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'

export const listing: ContractTests = {
  'an owner’s plants can be created in any order, all be deleted, and be created again': async (
    storage,
  ) => {
    const plants = Array.from({ length: 150 }, (_, id) => plantOf(BigInt(id)))
    for (const inOrder of [plants, plants.toReversed()]) {
      const owner = newOwner()
      await storage.mustCreate(owner, ...inOrder)
      await storage.reopen()
      await storage.mustListAll(owner, ...plants)
      for (const { id } of inOrder) await storage.mustDelete(owner, id)
      await storage.mustListAll(owner)
      await storage.mustCreate(owner, plants[1]!, plants[0]!)
      await storage.mustListAll(owner, plants[0]!, plants[1]!)
    }
  },

  'list returns the first limit plants with id > after, at every boundary': async (storage) => {
    const alice = newOwner()
    const ids = [INT64_MIN, -20n, -1n, 0n, 1n, 2n, 10n, INT64_MAX]
    const plants = ids.map(plantOf)
    await storage.mustCreate(alice, ...plants.toReversed())
    for (const after of [undefined, ...ids, -10n, 5n]) {
      const rest = plants.filter(({ id }) => after === undefined || id > after)
      for (const limit of [1, 2, plants.length, 2_147_483_647]) {
        await storage.mustList(alice, { after, limit }, rest.slice(0, limit))
      }
    }
  },

  'after is exact over the whole int64 range': async (storage) => {
    const alice = newOwner()
    const plants = edgeCaseIds.map(plantOf)
    await storage.mustCreate(alice, ...plants)
    for (const [index, { id }] of plants.entries()) {
      await storage.mustList(alice, { after: id, limit: 2 }, plants.slice(index + 1, index + 3))
    }
  },

  'only the last page may be short, even if deleted and other owners’ plants lie between': async (
    storage,
  ) => {
    const owners = [newOwner(), newOwner('bob'), newOwner('carol')] as const
    for (let id = 0n; id < 57n; id++) {
      await storage.mustCreate(owners[Number(id % 3n)]!, plantOf(id))
    }
    for (let id = 0n; id < 57n; id += 3n) {
      if (id % 4n !== 0n) await storage.mustDelete(owners[0], id)
    }
    const left = [0n, 12n, 24n, 36n, 48n].map(plantOf)
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      await storage.mustList(owners[0], { limit }, left.slice(0, limit))
      await storage.mustList(owners[0], { after: 0n, limit }, left.slice(1, limit + 1))
    }
  },

  'list sees every completed call, even if the page was read or the id was used before': async (
    storage,
  ) => {
    const alice = newOwner()
    const query = { after: 0n, limit: 3 }
    const plants = [4n, 2n, 1n, 3n].map(plantOf)
    let stored: StoredPlant[] = []
    for (const plant of plants) {
      await storage.mustList(alice, query, stored)
      await storage.mustCreate(alice, plant)
      stored = [...stored, plant].sort((a, b) => Number(a.id - b.id))
      await storage.mustList(alice, query, stored.slice(0, 3))
    }
    for (const { id } of plants) {
      await storage.mustDelete(alice, id)
      stored = stored.filter((plant) => plant.id !== id)
      await storage.mustList(alice, query, stored)
    }
    for (const plant of [{ ...plantOf(4n), tag: 'new' }, plantOf(4n)]) {
      await storage.mustCreate(alice, plant)
      await storage.mustList(alice, query, [plant])
      await storage.mustDelete(alice, plant.id)
    }
  },
}
