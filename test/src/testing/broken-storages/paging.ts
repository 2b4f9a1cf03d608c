import type { PageQuery, PlantStorage } from '../../../../src/plant-storage.ts'
import { type BaseStorage, type Broken, correct, deciding, replacing, storageOf } from './broken.ts'

export const paging: Broken = {
  ...deciding('cut', {
    'limit is ignored': (plants) => plants,
    'a page has one plant too many': (plants, { limit }) => plants.slice(0, limit + 1),
    'a page has one plant too few': (plants, { limit }) => plants.slice(0, Math.max(1, limit - 1)),
    'a page has at most 100 plants': (plants, { limit }) => plants.slice(0, Math.min(limit, 100)),
    'a page has at most 1000 plants': (plants, { limit }) => plants.slice(0, Math.min(limit, 1000)),
    'a page has at most one megabyte'(plants, { limit }) {
      let room = 2 ** 20
      return plants.slice(0, limit).filter(({ name }, index) => {
        room -= name.length
        return index === 0 || room >= 0
      })
    },
    'a page has the last plants': (plants, { limit }) => plants.slice(-limit),
    'limit is a 16-bit number': (plants, { limit }) => plants.slice(0, (limit << 16) >> 16),
    'tags are lost from index 100 on': (plants, { limit }) => [
      ...plants.slice(0, Math.min(limit, 100)),
      ...plants.slice(100, limit).map(({ id, name }) => ({ id, name })),
    ],
  }),
  ...deciding('isAfter', {
    'after is ignored': () => true,
    'after 0 is ignored': (id, after) => !after || id > after,
    'after is a double': (id, after) => after === undefined || Number(id) > Number(after),
    'a missing after is 0': (id, after) => id > (after ?? 0n),
    'a missing after is -1': (id, after) => id > (after ?? -1n),
    'a missing after is the smallest id': (id, after) => id > (after ?? -(2n ** 63n)),
  }),
  ...deciding('toAfter', {
    'after is inclusive': (after) => after - 1n,
    'after + 1 overflows': (after) => BigInt.asIntN(64, after + 1n) - 1n,
    'after is a double below 0': (after) => (after < 0n ? BigInt(Number(after)) : after),
    'after is a double around 2^62': (after) =>
      after >> 62n === 1n ? BigInt(Number(after)) & ~1n : after,
    'after is a 48-bit number from 2^48 to 2^53': (after) =>
      after >> 48n > 0n && after >> 53n === 0n ? BigInt.asIntN(48, after) : after,
  }),
  'after must be a stored id': () =>
    storageOf({
      isAfter: () => true,
      cut(plants, { after, limit }) {
        const start = plants.findIndex(({ id }) => id === after) + 1
        return plants.slice(start, start + limit)
      },
    }),
  ...replacing('list', {
    'limit applies before the filter by owner': ({ owners }, owner, { after, limit }) =>
      [...owners]
        .flatMap(([key, plants]) => [...plants.values()].map((plant) => ({ key, plant })))
        .filter(({ plant }) => correct.isAfter(plant.id, after))
        .sort((a, b) => correct.compare(a.plant.id, b.plant.id))
        .slice(0, limit)
        .filter(({ key }) => key === owner)
        .map(({ plant }) => correct.read(plant)),
    'pages of all owners but the first have at most 60 plants'(base, owner, { after, limit }) {
      const isFirst = base.owners.keys().next().value === owner
      return base.list(owner, { after, limit: isFirst ? limit : Math.min(limit, 60) })
    },
  }),
  'limit applies before the filter of tombstones': () => withTombstones(({ limit }) => limit),
  'a page is filtered from twice as many plants and tombstones': () =>
    withTombstones(({ limit }) => 2 * limit),

  ...replacing('list', {
    'cached pages never expire': cached(() => ''),
    'cached pages expire on create only': cached(({ calls }) => calls.create),
    'cached pages expire when the number of plants changes': cached(
      ({ owners }, owner) => owners.get(owner)?.size,
    ),
    'cached pages have ambiguous keys': cached(
      ({ calls }) => `${calls.create} ${calls.delete}`,
      (owner, { after, limit }) => `${owner}${after ?? ''} ${limit}`,
    ),
  }),
}

/** Makes a `list` with a cache of pages, which are used as long as `version` stays the same. */
function cached(
  version: (base: BaseStorage, owner: string) => unknown,
  toKey = (owner: string, { after, limit }: PageQuery) => `${owner} ${after} ${limit}`,
) {
  return (base: BaseStorage, owner: string, query: PageQuery) => {
    const key = `${version(base, owner)} ${toKey(owner, query)}`
    if (!base.notes.has(key)) base.notes.set(key, base.list(owner, query))
    return base.notes.get(key).map(correct.read)
  }
}

/** Makes a storage that only marks what it deletes, and reads `toRows` rows for a page. */
function withTombstones(toRows: (query: PageQuery) => number): PlantStorage {
  const base = storageOf()
  const tombstones = new Set<string>()
  return {
    create(owner, plant) {
      if (tombstones.delete(`${plant.id} ${owner}`)) base.delete(owner, plant.id)
      return base.create(owner, plant)
    },
    list: (owner, query) =>
      base
        .list(owner, { ...query, limit: toRows(query) })
        .filter(({ id }) => !tombstones.has(`${id} ${owner}`))
        .slice(0, query.limit),
    delete(owner, id) {
      if (!base.get(owner, id) || tombstones.has(`${id} ${owner}`)) return false
      return !!tombstones.add(`${id} ${owner}`)
    },
  }
}
