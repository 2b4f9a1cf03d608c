import type { StoredPlant } from '../plant.ts'
import { INT64_MAX, INT64_MIN } from '../plants/int64.ts'
import { allOf } from './all-of.ts'
import { delicateIds } from './delicate-ids.ts'
import type { Subject, Tests } from './subject.ts'

export const listing: Tests = {
  'a new storage has no plants': async (storage) => {
    await storage.lists('alice', { limit: 1 }, [])
    await storage.lists('bob', { after: INT64_MIN, limit: 500 }, [])
  },

  'list answers by ascending id, whatever the order of the creates': async (storage) => {
    const ids = [5n, -10n, 100n, -9n, 0n, INT64_MAX, 20n, -1n, 3n, INT64_MIN, 10n, 9n, -100n, 1n]
    await storage.creates('alice', ...ids.map((id) => ({ id, name: `plant ${id}` })))
    const ascending = ids.toSorted((a, b) => (a < b ? -1 : 1))
    await storage.holds('alice', ...ascending.map((id) => ({ id, name: `plant ${id}` })))
  },

  'plants may come in ascending or descending order, all go, and come again': async (storage) => {
    const plants = Array.from({ length: 150 }, (_, id) => ({ id: BigInt(id), name: `plant ${id}` }))
    const comeAndGo = async (owner: string, inOrder: StoredPlant[]) => {
      await storage.creates(owner, ...inOrder)
      await storage.holds(owner, ...plants)
      for (const { id } of inOrder) await storage.deletes(owner, id)
      await storage.holds(owner)
      await storage.creates(owner, plants[1]!, plants[0]!)
      await storage.holds(owner, plants[0]!, plants[1]!)
    }
    await allOf([comeAndGo('alice', plants), comeAndGo('bob', plants.toReversed())])
  },

  'list answers the first limit plants with id > after, at every boundary': async (storage) => {
    const plants = [INT64_MIN, -20n, -1n, 0n, 1n, 2n, 10n, 2n ** 53n + 1n, INT64_MAX].map(
      (id, index) => ({ id, name: `plant ${id}`, ...(index % 2 === 0 && { tag: 'even' }) }),
    )
    await storage.creates('alice', ...plants.toReversed())
    await storage.creates('alic', { id: 5n, name: 'Somebody else’s' })
    await storage.creates('alicea', { id: 6n, name: 'Somebody else’s' })
    const afters = plants.flatMap(({ id }) => [id - 1n, id, id + 1n]).filter(isInt64)
    for (const after of [undefined, ...new Set(afters)]) {
      const rest = plants.filter(({ id }) => after === undefined || id > after)
      for (const limit of new Set([
        1,
        2,
        rest.length - 1,
        rest.length,
        rest.length + 1,
        2 ** 31 - 1,
      ])) {
        if (limit > 0) await storage.lists('alice', { after, limit }, rest.slice(0, limit))
      }
    }
  },

  'after is exact over all of int64': async (storage) => {
    const plants = delicateIds.map((id) => ({ id, name: `plant ${id}` }))
    await storage.creates('alice', ...plants)
    for (const [index, { id }] of plants.entries()) {
      await storage.lists('alice', { after: id, limit: 2 }, plants.slice(index + 1, index + 3))
    }
  },

  'after need not be the id of a plant that is still there': async (storage) => {
    const plants = [1n, 2n, 3n, 4n, 5n].map((id) => ({ id, name: `plant ${id}` }))
    await storage.creates('alice', ...plants)
    const [first, second] = await storage.list('alice', { limit: 2 })
    await storage.deletes('alice', second!.id)
    await storage.lists('alice', { after: second!.id, limit: 2 }, plants.slice(2, 4))
    await storage.deletes('alice', first!.id)
    await storage.lists('alice', { after: first!.id, limit: 9 }, plants.slice(2))
    await storage.deletes('alice', 5n)
    await storage.lists('alice', { after: 4n, limit: 1 }, [])
  },

  'a page is full unless there are no more plants, whoever’s and whichever were between': async (
    storage,
  ) => {
    for (let id = 0n; id < 60n; id++) {
      const owner = ['alice', 'bob', 'carol'][Number(id % 3n)]!
      await storage.creates(owner, { id, name: `plant ${id}` })
    }
    for (let id = 0n; id < 60n; id += 3n) {
      if (id % 4n !== 0n) await storage.deletes('alice', id)
    }
    const left = [0n, 12n, 24n, 36n, 48n].map((id) => ({ id, name: `plant ${id}` }))
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      await storage.lists('alice', { limit }, left.slice(0, limit))
      await storage.lists('alice', { after: 0n, limit }, left.slice(1, limit + 1))
    }
  },

  'a page is full, however large its plants': async (storage) => {
    const plants = Array.from({ length: 16 }, (_, index) => ({
      id: BigInt(index),
      name: `${index} `.repeat(50_000),
      tag: 'large',
    }))
    await storage.creates('alice', ...plants)
    await storage.lists('alice', { limit: 16 }, plants)
    await storage.lists('alice', { after: 0n, limit: 14 }, plants.slice(1, 15))
  },

  'list sees what has been answered, even if the same page was asked before': async (storage) => {
    const page = { after: 0n, limit: 3 }
    const plants = [4n, 2n, 1n, 3n].map((id) => ({ id, name: `plant ${id}` }))
    let stored: StoredPlant[] = []
    for (const plant of plants) {
      await storage.lists('alice', page, stored.slice(0, 3))
      await storage.creates('alice', plant)
      stored = [...stored, plant].sort((a, b) => Number(a.id - b.id))
      await storage.lists('alice', page, stored.slice(0, 3))
    }
    for (const { id } of plants) {
      await storage.deletes('alice', id)
      stored = stored.filter((plant) => plant.id !== id)
      await storage.lists('alice', page, stored.slice(0, 3))
    }
    for (const plant of [plants[0]!, { id: 4n, name: 'same id' }, { id: 5n, name: 'same id' }]) {
      await storage.creates('alice', plant)
      await storage.lists('alice', page, [plant])
      await storage.deletes('alice', plant.id)
    }
  },
}

function isInt64(id: bigint): boolean {
  return id >= INT64_MIN && id <= INT64_MAX
}

/** Lists page by page, as the core does: on after the last plant until a page is not full. */
export async function* pages(
  storage: Pick<Subject, 'list'>,
  owner: string,
  limit: number,
): AsyncGenerator<readonly StoredPlant[]> {
  let after: bigint | undefined
  while (true) {
    const page = await storage.list(owner, { after, limit })
    yield page
    if (page.length < limit) return
    after = page.at(-1)!.id
  }
}
