import type { MaybePromise } from '../../../src/maybe-promise.ts'
import type { StoredPlant } from '../../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../../src/plant-storage.ts'

type Page = PageQuery

/** The decisions that a storage makes; each broken storage makes one of them wrong. */
interface Decisions {
  ownerKey(owner: string): string
  idKey(id: bigint): unknown
  keep(plant: StoredPlant): StoredPlant
  give(plant: StoredPlant): StoredPlant
  compare(a: bigint, b: bigint): number
  isAfter(id: bigint, page: Page): boolean
  cut(plants: StoredPlant[], page: Page): StoredPlant[]
}

const right: Decisions = {
  ownerKey: (owner) => owner,
  idKey: (id) => id,
  keep: (plant) => ({ ...plant }),
  give: (plant) => ({ ...plant }),
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  isAfter: (id, { after }) => after === undefined || id > after,
  cut: (plants, { limit }) => plants.slice(0, limit),
}

/** A storage that is as right as its decisions. */
export function storageOf(wrong: Partial<Decisions> = {}) {
  const { ownerKey, idKey, keep, give, compare, isAfter, cut } = { ...right, ...wrong }
  const owners = new Map<string, Map<unknown, StoredPlant>>()

  function plantsOf(owner: string): Map<unknown, StoredPlant> {
    const key = ownerKey(owner)
    const plants = owners.get(key) ?? new Map<unknown, StoredPlant>()
    owners.set(key, plants)
    return plants
  }

  return {
    owners,
    create(owner: string, plant: StoredPlant): boolean {
      const plants = plantsOf(owner)
      if (plants.has(idKey(plant.id))) return false
      plants.set(idKey(plant.id), keep(plant))
      return true
    },
    list(owner: string, page: Page): StoredPlant[] {
      const plants = [...plantsOf(owner).values()].sort((a, b) => compare(a.id, b.id))
      return cut(
        plants.filter(({ id }) => isAfter(id, page)),
        page,
      ).map(give)
    },
    delete(owner: string, id: bigint): boolean {
      return plantsOf(owner).delete(idKey(id))
    },
  }
}

/** A right storage with some of its methods made anew from the right ones. */
function changed(
  change: (storage: ReturnType<typeof storageOf>) => { [K in keyof PlantStorage]?: unknown },
  wrong?: Partial<Decisions>,
): PlantStorage {
  const storage = storageOf(wrong)
  return { ...storage, ...change(storage) } as PlantStorage
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Makes those who ask by one key while another one waits get that one's answer. */
function joining<T>() {
  const waiting = new Map<string, Promise<T>>()
  return (key: string, run: () => MaybePromise<T>): Promise<T> => {
    const first = waiting.get(key)
    if (first) return first
    const answer = tick().then(() => {
      waiting.delete(key)
      return run()
    })
    waiting.set(key, answer)
    return answer
  }
}

/** Each is wrong in the way that its name says. */
export const brokenStorages: Record<string, () => MaybePromise<PlantStorage>> = {
  // paging
  'limit is ignored': () => storageOf({ cut: (plants) => plants }),
  'one too many': () => storageOf({ cut: (plants, { limit }) => plants.slice(0, limit + 1) }),
  'one too few': () =>
    storageOf({ cut: (plants, { limit }) => plants.slice(0, Math.max(1, limit - 1)) }),
  'pages of 100 at most': () =>
    storageOf({ cut: (plants, { limit }) => plants.slice(0, Math.min(limit, 100)) }),
  'pages of 1000 at most': () =>
    storageOf({ cut: (plants, { limit }) => plants.slice(0, Math.min(limit, 1000)) }),
  'pages of a megabyte at most': () =>
    storageOf({
      cut(plants, { limit }) {
        let room = 2 ** 20
        return plants.slice(0, limit).filter(({ name }, index) => {
          room -= name.length
          return index === 0 || room >= 0
        })
      },
    }),
  'the last plants are cut': () => storageOf({ cut: (plants, { limit }) => plants.slice(-limit) }),
  'limit as a 16-bit number': () =>
    storageOf({ cut: (plants, { limit }) => plants.slice(0, (limit << 16) >> 16) }),
  'after is inclusive': () =>
    storageOf({ isAfter: (id, { after }) => after === undefined || id >= after }),
  'after is ignored': () => storageOf({ isAfter: () => true }),
  'after 0 is no after': () => storageOf({ isAfter: (id, { after }) => !after || id > after }),
  'no after is after 0': () => storageOf({ isAfter: (id, { after }) => id > (after ?? 0n) }),
  'no after is after -1': () => storageOf({ isAfter: (id, { after }) => id > (after ?? -1n) }),
  'no after is after the smallest id': () =>
    storageOf({ isAfter: (id, { after }) => id > (after ?? -(2n ** 63n)) }),
  'after + 1 overflows': () =>
    storageOf({
      isAfter: (id, { after }) => after === undefined || id >= BigInt.asIntN(64, after + 1n),
    }),
  'after is a double': () =>
    storageOf({ isAfter: (id, { after }) => after === undefined || Number(id) > Number(after) }),
  'after is a double below 0': () =>
    storageOf({
      isAfter: (id, { after }) =>
        after === undefined || (after < 0n ? id > BigInt(Number(after)) : id > after),
    }),
  'after is a double around 2^62': () =>
    storageOf({
      isAfter: (id, { after }) =>
        after === undefined || id > (after >> 62n === 1n ? BigInt(Number(after)) & ~1n : after),
    }),
  'after is a 48-bit number from 2^48 to 2^53': () =>
    storageOf({
      isAfter: (id, { after }) =>
        after === undefined ||
        id > (after >> 48n > 0n && after >> 53n === 0n ? BigInt.asIntN(48, after) : after),
    }),
  'after must be there': () =>
    storageOf({
      isAfter: () => true,
      cut(plants, { after, limit }) {
        const start = plants.findIndex(({ id }) => id === after) + 1
        return plants.slice(start, start + limit)
      },
    }),
  'limit before owner': () => {
    const all: { owner: string; plant: StoredPlant }[] = []
    return changed(({ create, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        if (!create(owner, plant)) return false
        all.push({ owner, plant: { ...plant } })
        all.sort((a, b) => right.compare(a.plant.id, b.plant.id))
        return true
      },
      list: (owner: string, page: Page) =>
        all
          .filter(({ plant }) => right.isAfter(plant.id, page))
          .slice(0, page.limit)
          .filter((row) => row.owner === owner)
          .map(({ plant }) => ({ ...plant })),
      delete(owner: string, id: bigint) {
        if (!remove(owner, id)) return false
        all.splice(
          all.findIndex((row) => row.owner === owner && row.plant.id === id),
          1,
        )
        return true
      },
    }))
  },
  'limit before tombstones': () => {
    const gone = new Set<string>()
    return changed(({ create, list, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        if (!gone.delete(`${plant.id}${owner}`)) return create(owner, plant)
        remove(owner, plant.id)
        return create(owner, plant)
      },
      list: (owner: string, page: Page) =>
        list(owner, page).filter(({ id }) => !gone.has(`${id}${owner}`)),
      delete(owner: string, id: bigint) {
        const there = list(owner, { limit: 10_000 }).some((plant) => plant.id === id)
        if (!there || gone.has(`${id}${owner}`)) return false
        gone.add(`${id}${owner}`)
        return true
      },
    }))
  },
  'a page that was asked before comes from a cache': () => {
    const cache = new Map<string, StoredPlant[]>()
    return changed(({ list }) => ({
      list(owner: string, page: Page) {
        const key = `${owner} ${page.after} ${page.limit}`
        const plants = cache.get(key) ?? list(owner, page)
        cache.set(key, plants)
        return plants
      },
    }))
  },
  'a cache that only create empties': () => {
    const cache = new Map<string, StoredPlant[]>()
    return changed(({ create, list }) => ({
      create(owner: string, plant: StoredPlant) {
        cache.clear()
        return create(owner, plant)
      },
      list(owner: string, page: Page) {
        const key = `${owner} ${page.after} ${page.limit}`
        const plants = cache.get(key) ?? list(owner, page)
        cache.set(key, plants)
        return plants
      },
    }))
  },
  'a cache that holds as long as the number of plants': () => {
    const cache = new Map<string, StoredPlant[]>()
    return changed(({ list, owners }) => ({
      list(owner: string, page: Page) {
        const key = `${owners.get(owner)?.size} ${owner} ${page.after} ${page.limit}`
        const plants = cache.get(key) ?? list(owner, page)
        cache.set(key, plants)
        return [...plants]
      },
    }))
  },
  'a cache whose keys run together': () => {
    const cache = new Map<string, StoredPlant[]>()
    return changed(({ create, list, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        cache.clear()
        return create(owner, plant)
      },
      list(owner: string, page: Page) {
        const key = `${owner}${page.after ?? ''}${page.limit}`
        const plants = cache.get(key) ?? list(owner, page)
        cache.set(key, plants)
        return plants.map(right.give)
      },
      delete(owner: string, id: bigint) {
        cache.clear()
        return remove(owner, id)
      },
    }))
  },
  'tags are lost from position 100 on': () =>
    storageOf({
      cut: (plants, { limit }) =>
        plants
          .slice(0, limit)
          .map((plant, index) => (index < 100 ? plant : { id: plant.id, name: plant.name })),
    }),
  'all owners but the first have pages of 60 at most': () =>
    changed(({ list, owners }) => ({
      list(owner: string, { after, limit }: Page) {
        const [first] = owners.keys()
        return list(owner, { after, limit: owner === first ? limit : Math.min(limit, 60) })
      },
    })),
  'what has been emptied of 100 plants takes no more': () => {
    const large = new Set<string>()
    return changed(({ create, owners }) => ({
      create(owner: string, plant: StoredPlant) {
        if (large.has(owner) && owners.get(owner)!.size === 0) return true
        if (owners.get(owner)?.size === 100) large.add(owner)
        return create(owner, plant)
      },
    }))
  },
  'takes no more than 64 plants in descending order': () => {
    const runs = new Map<string, { last: bigint; length: number }>()
    return changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        const run = runs.get(owner)
        const length = run && plant.id < run.last ? run.length + 1 : 0
        runs.set(owner, { last: plant.id, length })
        return length > 64 || create(owner, plant)
      },
    }))
  },

  // order
  'unordered list': () => storageOf({ compare: () => 0 }),
  'descending list': () => storageOf({ compare: (a, b) => right.compare(b, a) }),
  'order of decimal text': () =>
    storageOf({ compare: (a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0) }),
  'order of unsigned integers': () =>
    storageOf({ compare: (a, b) => right.compare(BigInt.asUintN(64, a), BigInt.asUintN(64, b)) }),
  'order of doubles': () => storageOf({ compare: (a, b) => Number(a) - Number(b) }),
  'order of int32 differences': () => storageOf({ compare: (a, b) => Number(a - b) | 0 }),
  'order of absolute values': () =>
    storageOf({
      compare: (a, b) => right.compare(a < 0n ? -a : a, b < 0n ? -b : b),
    }),
  'order of padded text': () => {
    const padded = (id: bigint) =>
      (id < 0n ? '-' : '0') + String(id).replace('-', '').padStart(19, '0')
    return storageOf({ compare: (a, b) => (padded(a) < padded(b) ? -1 : 1) })
  },

  // ids
  'number ids': () =>
    storageOf({ idKey: Number, keep: (plant) => ({ ...plant, id: BigInt(Number(plant.id)) }) }),
  'number ids in the key only': () => storageOf({ idKey: Number }),
  'number ids given out': () =>
    storageOf({ give: (plant) => ({ ...plant, id: Number(plant.id) as unknown as bigint }) }),
  'text ids given out': () =>
    storageOf({ give: (plant) => ({ ...plant, id: String(plant.id) as unknown as bigint }) }),
  'int32 ids': () => storageOf({ idKey: (id) => BigInt.asIntN(32, id) }),
  'float32 ids up to 2^31': () =>
    storageOf({ idKey: (id) => (id > 0n && id < 2n ** 31n ? Math.fround(Number(id)) : id) }),
  'unsigned ids': () =>
    storageOf({ keep: (plant) => ({ ...plant, id: BigInt.asUintN(64, plant.id) }) }),
  'ids without sign': () => storageOf({ idKey: (id) => (id < 0n ? -id : id) }),
  'no ids below 0': () =>
    changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        if (plant.id < 0n) throw new RangeError('out of range')
        return create(owner, plant)
      },
    })),
  'id 0 is no id': () =>
    changed(({ delete: remove }) => ({
      delete: (owner: string, id: bigint) => (id ? remove(owner, id) : false),
    })),
  'microsecond ids': () => storageOf({ idKey: (id) => id / 1000n }),

  // create
  'last write wins': () =>
    changed(({ create, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        remove(owner, plant.id)
        return create(owner, plant)
      },
    })),
  'false, yet overwritten': () =>
    changed(({ create, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        const taken = remove(owner, plant.id)
        create(owner, plant)
        return !taken
      },
    })),
  'false, yet the tag overwritten': () =>
    changed(({ create, owners }) => ({
      create(owner: string, plant: StoredPlant) {
        if (create(owner, plant)) return true
        Reflect.set(owners.get(owner)!.get(plant.id)!, 'tag', plant.tag)
        return false
      },
    })),
  'true twice': () =>
    changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        create(owner, plant)
        return true
      },
    })),
  'true again for the very same plant': () =>
    changed(({ create, list }) => ({
      create(owner: string, plant: StoredPlant) {
        const same = list(owner, { limit: 10_000 }).some(
          ({ id, name, tag }) => id === plant.id && name === plant.name && tag === plant.tag,
        )
        return same || create(owner, plant)
      },
    })),
  'no answer': () =>
    changed(({ create }) => ({ create: (...call: [any, any]) => void create(...call) })),
  'answers 1 and 0': () =>
    changed(({ create }) => ({ create: (...call: [any, any]) => Number(create(...call)) })),
  'throws for a duplicate': () =>
    changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        if (create(owner, plant)) return true
        throw new Error('UNIQUE constraint failed')
      },
    })),
  'stores nothing': () => changed(() => ({ create: () => true })),
  'answers before it stores': () =>
    changed(({ create, list }) => ({
      create(owner: string, plant: StoredPlant) {
        const taken = list(owner, { limit: 10_000 }).some(({ id }) => id === plant.id)
        if (!taken) setImmediate(() => create(owner, plant))
        return !taken
      },
    })),
  'looks for duplicates among the first 100': () =>
    changed(({ create, list, owners }) => ({
      create(owner: string, plant: StoredPlant) {
        if (list(owner, { limit: 100 }).some(({ id }) => id === plant.id)) return false
        if (!create(owner, plant)) owners.get(owner)!.set(plant.id, { ...plant })
        return true
      },
    })),
  'names are unique': () =>
    changed(({ create, list }) => ({
      create(owner: string, plant: StoredPlant) {
        if (list(owner, { limit: 10_000 }).some(({ name }) => name === plant.name)) return false
        return create(owner, plant)
      },
    })),
  'room for 1000 plants': () =>
    changed(({ create, delete: remove, owners }) => ({
      create(owner: string, plant: StoredPlant) {
        if (!create(owner, plant)) return false
        const ids = [...owners.get(owner)!.keys()] as bigint[]
        if (ids.length > 1000) remove(owner, ids[0]!)
        return true
      },
    })),
  'room for 100 owners': () =>
    changed(({ create, owners }) => ({
      create(owner: string, plant: StoredPlant) {
        const created = create(owner, plant)
        if (owners.size > 100) owners.delete([...owners.keys()][0]!)
        return created
      },
    })),
  'state is shared by all storages': () => sharedByAll,
  'ids deleted stay taken': () => {
    const taken = new Set<string>()
    return changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        if (taken.has(`${plant.id} ${owner}`)) return false
        taken.add(`${plant.id} ${owner}`)
        return create(owner, plant)
      },
    }))
  },
  'the plant deleted comes back': () => {
    const deleted = new Map<string, StoredPlant>()
    return changed(({ create, list, delete: remove }) => ({
      create: (owner: string, plant: StoredPlant) =>
        create(owner, deleted.get(`${plant.id} ${owner}`) ?? plant),
      delete(owner: string, id: bigint) {
        const plant = list(owner, { limit: 10_000 }).find((plant) => plant.id === id)
        if (plant) deleted.set(`${id} ${owner}`, plant)
        return remove(owner, id)
      },
    }))
  },
  'the old tag comes back': () => {
    const tags = new Map<string, string>()
    return storageOf({
      keep(plant) {
        const tag = plant.tag ?? tags.get(String(plant.id))
        if (tag) tags.set(String(plant.id), tag)
        return { ...plant, tag }
      },
    })
  },

  // delete
  'delete is always true': () =>
    changed(({ delete: remove }) => ({
      delete(owner: string, id: bigint) {
        remove(owner, id)
        return true
      },
    })),
  'delete is never true': () =>
    changed(({ delete: remove }) => ({
      delete(owner: string, id: bigint) {
        remove(owner, id)
        return false
      },
    })),
  'delete answers nothing': () =>
    changed(({ delete: remove }) => ({
      delete: (owner: string, id: bigint) => void remove(owner, id),
    })),
  'delete removes nothing': () =>
    changed(({ list }) => ({
      delete: (owner: string, id: bigint) =>
        list(owner, { limit: 10_000 }).some((plant) => plant.id === id),
    })),
  'delete removes all of the owner’s': () =>
    changed(({ delete: remove, owners }) => ({
      delete(owner: string, id: bigint) {
        const deleted = remove(owner, id)
        if (deleted) owners.get(owner)!.clear()
        return deleted
      },
    })),
  'delete removes every owner’s': () =>
    changed(({ delete: remove, owners }) => ({
      delete(owner: string, id: bigint) {
        const deleted = remove(owner, id)
        for (const plants of owners.values()) plants.delete(id)
        return deleted
      },
    })),
  'delete removes by the start of the id': () =>
    changed(({ delete: remove, owners }) => ({
      delete(owner: string, id: bigint) {
        const deleted = remove(owner, id)
        for (const other of owners.get(owner)?.keys() ?? []) {
          if (String(other).startsWith(String(id))) owners.get(owner)!.delete(other)
        }
        return deleted
      },
    })),
  'delete removes the neighbour if there is none': () =>
    changed(({ delete: remove }) => ({
      delete: (owner: string, id: bigint) => remove(owner, id) || remove(owner, id + 1n),
    })),
  'delete throws when there is none': () =>
    changed(({ delete: remove }) => ({
      delete(owner: string, id: bigint) {
        if (remove(owner, id)) return true
        throw new Error('not found')
      },
    })),
  'looks for what to delete among the first 100': () =>
    changed(({ list, delete: remove }) => ({
      delete: (owner: string, id: bigint) =>
        list(owner, { limit: 100 }).some((plant) => plant.id === id) && remove(owner, id),
    })),
  'delete answers before it is done': () =>
    changed(({ list, delete: remove }) => ({
      delete(owner: string, id: bigint) {
        setImmediate(() => remove(owner, id))
        return list(owner, { limit: 10_000 }).some((plant) => plant.id === id)
      },
    })),

  // owners
  'shared owners': () => storageOf({ ownerKey: () => 'everybody' }),
  'owners folded': () => storageOf({ ownerKey: (owner) => owner.toLowerCase() }),
  'owners folded by locale': () => storageOf({ ownerKey: (owner) => owner.toUpperCase() }),
  'owners trimmed': () => storageOf({ ownerKey: (owner) => owner.trim() }),
  'owners padded': () => storageOf({ ownerKey: (owner) => owner.replace(/ +$/, '') }),
  'owners in NFC': () => storageOf({ ownerKey: (owner) => owner.normalize('NFC') }),
  'owners in NFD': () => storageOf({ ownerKey: (owner) => owner.normalize('NFD') }),
  'owners in NFKC': () => storageOf({ ownerKey: (owner) => owner.normalize('NFKC') }),
  'owners without accents': () =>
    storageOf({ ownerKey: (owner) => owner.normalize('NFD').replace(/\p{M}/gu, '') }),
  'owners without what is not seen': () =>
    storageOf({ ownerKey: (owner) => owner.replace(/\p{Cf}|\ufe0f/gu, '') }),
  'owners in ASCII': () => storageOf({ ownerKey: (owner) => owner.replace(/[^ -~]/g, '?') }),
  'owners without control characters': () =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is lost.
    storageOf({ ownerKey: (owner) => owner.replace(/[\u0001-\u001f]/g, '') }),
  'owners without what is beyond 16 bits': () =>
    storageOf({ ownerKey: (owner) => owner.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd') }),
  'owners without quotes': () => storageOf({ ownerKey: (owner) => owner.replace(/['"`]/g, '') }),
  'owners unescaped': () => storageOf({ ownerKey: (owner) => owner.replace(/\\(.)/g, '$1') }),
  'owners without BOM': () =>
    storageOf({ ownerKey: (owner) => new TextDecoder().decode(new TextEncoder().encode(owner)) }),
  'owners decoded': () =>
    storageOf({
      ownerKey(owner) {
        try {
          return decodeURIComponent(owner)
        } catch {
          return owner
        }
      },
    }),
  'owners as paths': () =>
    storageOf({ ownerKey: (owner) => new URL(`http://a/${encodeURI(owner)}`).pathname }),
  'owners as numbers': () =>
    storageOf({ ownerKey: (owner) => (owner.trim() === '' ? owner : String(+owner || owner)) }),
  'owners of 64 characters': () => storageOf({ ownerKey: (owner) => owner.slice(0, 64) }),
  'owners of 255 characters': () => storageOf({ ownerKey: (owner) => owner.slice(0, 255) }),
  'owners of 1024 characters': () => storageOf({ ownerKey: (owner) => owner.slice(0, 1024) }),
  'the last 255 characters of owners': () => storageOf({ ownerKey: (owner) => owner.slice(-255) }),
  'owners by both ends and length': () =>
    storageOf({
      ownerKey: (owner) =>
        owner.length < 100 ? owner : `${owner.slice(0, 40)}${owner.length}${owner.slice(-40)}`,
    }),
  'owners without difference of kana': () =>
    storageOf({
      ownerKey: (owner) =>
        owner.replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)),
    }),
  'owners by the value of their numbers': () =>
    storageOf({ ownerKey: (owner) => owner.replace(/([a-z])0+(\d)/g, '$1$2') }),
  'owners without form feeds': () =>
    storageOf({ ownerKey: (owner) => owner.replace(/[\b\v\f]/g, '') }),
  'owners hashed to 32 bits': () =>
    storageOf({
      ownerKey(owner) {
        let hash = 0
        for (const { charCodeAt } of [owner]) {
          for (let index = 0; index < owner.length; index++) {
            hash = (Math.imul(hash, 31) + charCodeAt.call(owner, index)) | 0
          }
        }
        return String(hash)
      },
    }),
  'owners as patterns': () =>
    changed(({ list, owners }) => ({
      list(owner: string, page: Page) {
        const pattern = owner.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*')
        const matching = [...owners.keys()].find((key) => new RegExp(`^${pattern}$`).test(key))
        return matching === undefined ? [] : list(matching, page)
      },
    })),
  'owners as members of an object': () => {
    const owners: Record<string, Map<bigint, StoredPlant>> = {}
    const plantsOf = (owner: string) => {
      owners[owner] ??= new Map()
      return owners[owner]
    }
    return {
      create(owner, plant) {
        if (plantsOf(owner).has(plant.id)) return false
        plantsOf(owner).set(plant.id, { ...plant })
        return true
      },
      list: (owner, page) =>
        [...plantsOf(owner).values()]
          .sort((a, b) => right.compare(a.id, b.id))
          .filter(({ id }) => right.isAfter(id, page))
          .slice(0, page.limit)
          .map(right.give),
      delete: (owner, id) => plantsOf(owner).delete(id),
    }
  },
  'owner and id written together': () => keyed((owner, id) => `${owner}${id}`),
  'owner and id written with a dash': () => keyed((owner, id) => `${owner}-${id}`),
  'owner and id, listed by prefix': () =>
    keyed(
      (owner, id) => `${owner}:${id}`,
      (owner) => `${owner}:`,
    ),
  'owner and id, listed by prefix of a path': () =>
    keyed(
      (owner, id) => `${owner}/${id}`,
      (owner) => `${owner}/`,
    ),
  'owners listed by prefix': () =>
    keyed(
      (owner, id) => `${owner}\u0000${id}`,
      (owner) => owner,
    ),
  'ids are unique over all owners': () => {
    const ids = new Set<bigint>()
    return changed(({ create, delete: remove }) => ({
      create(owner: string, plant: StoredPlant) {
        if (ids.has(plant.id) || !create(owner, plant)) return false
        ids.add(plant.id)
        return true
      },
      delete(owner: string, id: bigint) {
        const deleted = remove(owner, id)
        if (deleted) ids.delete(id)
        return deleted
      },
    }))
  },

  // texts
  'tags are lost': () => storageOf({ keep: ({ id, name }) => ({ id, name }) }),
  'empty tags are lost': () =>
    storageOf({ keep: (plant) => ({ ...plant, tag: plant.tag || undefined }) }),
  'no tag is an empty one': () =>
    storageOf({ keep: (plant) => ({ ...plant, tag: plant.tag ?? '' }) }),
  'no tag is null': () =>
    storageOf({
      give: (plant) => ({ ...plant, tag: plant.tag ?? (null as unknown as undefined) }),
    }),
  'no tag is the text undefined': () =>
    storageOf({ keep: (plant) => ({ ...plant, tag: String(plant.tag) }) }),
  'the tag null is no tag': () =>
    storageOf({
      keep: (plant) => ({ ...plant, tag: plant.tag === 'null' ? undefined : plant.tag }),
    }),
  'names trimmed': () => storageOf({ keep: (plant) => ({ ...plant, name: plant.name.trim() }) }),
  'tags trimmed': () => storageOf({ keep: (plant) => ({ ...plant, tag: plant.tag?.trim() }) }),
  'names of 255 characters': () =>
    storageOf({ keep: (plant) => ({ ...plant, name: plant.name.slice(0, 255) }) }),
  'tags of 65535 characters': () =>
    storageOf({ keep: (plant) => ({ ...plant, tag: plant.tag?.slice(0, 65535) }) }),
  'names in NFC': () =>
    storageOf({ keep: (plant) => ({ ...plant, name: plant.name.normalize('NFC') }) }),
  'names without carriage returns': () =>
    storageOf({ keep: (plant) => ({ ...plant, name: plant.name.replaceAll('\r\n', '\n') }) }),
  'names of 16-bit characters': () =>
    storageOf({
      keep: (plant) => ({ ...plant, name: plant.name.replace(/[\u{10000}-\u{10ffff}]/gu, '?') }),
    }),
  'names without BOM': () =>
    storageOf({ keep: (plant) => ({ ...plant, name: plant.name.replace(/^\ufeff/, '') }) }),
  ...Object.fromEntries(
    Object.entries({
      'what XML lacks': /[\b\v\f]/g,
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is lost.
      'ends of files': /\u001a/g,
      'C1 control characters': /[\u0086-\u009f]/g,
      'private characters': /[\ue000-\uf8ff]/g,
      kana: /[\u3040-\u30ff]/g,
      isolates: /[\u2066-\u2069]/g,
      annotations: /[\ufff9-\ufffb]/g,
      'tag characters': /[\u{e0020}-\u{e007f}]/gu,
      placeholders: /%[sd]/g,
      'doubled percent signs': /%(?=%)/g,
      'names of variables': /^\$[A-Z]+$/,
      comments: / #.*$/,
      'what YAML takes for false': /^no$/,
    }).flatMap(([what, pattern]) => [
      [
        `names without ${what}`,
        () => storageOf({ keep: (plant) => ({ ...plant, name: plant.name.replace(pattern, '') }) }),
      ],
      [
        `tags without ${what}`,
        () => storageOf({ keep: (plant) => ({ ...plant, tag: plant.tag?.replace(pattern, '') }) }),
      ],
    ]),
  ),
  'names decoded in chunks': () =>
    storageOf({
      keep(plant) {
        const bytes = Buffer.from(plant.name)
        let name = ''
        for (let at = 0; at < bytes.length; at += 65536)
          name += bytes.toString('utf8', at, at + 65536)
        return { ...plant, name }
      },
    }),
  'names as numbers': () =>
    storageOf({
      keep: (plant) => ({
        ...plant,
        name: /^\d+$/.test(plant.name) ? String(Number(plant.name)) : plant.name,
      }),
    }),
  'names as numbers given out': () =>
    storageOf({
      give: (plant) => ({
        ...plant,
        name: /^[1-9]$/.test(plant.name) ? (Number(plant.name) as unknown as string) : plant.name,
      }),
    }),
  'names and tags exchanged': () =>
    storageOf({
      keep: ({ id, name, tag }) =>
        tag === undefined ? { id, name } : { id, name: tag, tag: name },
    }),
  'names in replacement patterns': () =>
    storageOf({ keep: (plant) => ({ ...plant, name: 'x'.replace('x', plant.name) }) }),

  // aliasing
  'keeps the object that came in': () => storageOf({ keep: (plant) => plant }),
  'gives the object that it keeps': () => storageOf({ give: (plant) => plant }),
  'gives the array that it keeps': () => {
    const kept = new Map<string, StoredPlant[]>()
    return {
      create(owner, plant) {
        const plants = kept.get(owner) ?? []
        kept.set(owner, plants)
        if (plants.some(({ id }) => id === plant.id)) return false
        plants.push(Object.freeze({ ...plant }))
        plants.sort((a, b) => right.compare(a.id, b.id))
        return true
      },
      list(owner, { after, limit }) {
        const plants = kept.get(owner) ?? []
        if (after === undefined && plants.length <= limit) return plants
        return plants.filter(({ id }) => after === undefined || id > after).slice(0, limit)
      },
      delete(owner, id) {
        const plants = kept.get(owner) ?? []
        const index = plants.findIndex((plant) => plant.id === id)
        if (index >= 0) plants.splice(index, 1)
        return index >= 0
      },
    }
  },
  'changes the object that came in': () =>
    changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        if (plant.tag === undefined) Reflect.set(plant, 'tag', '')
        return create(owner, plant)
      },
    })),
  'answers with an iterator': () =>
    changed(({ list }) => ({ list: (owner: string, page: Page) => list(owner, page).values() })),
  'answers with undefined for no plants': () =>
    changed(({ list, owners }) => ({
      list: (owner: string, page: Page) => (owners.has(owner) ? list(owner, page) : undefined),
    })),

  // concurrency
  'looks, waits, then creates': () =>
    changed(({ create, list, delete: remove }) => ({
      async create(owner: string, plant: StoredPlant) {
        if (list(owner, { limit: 10_000 }).some(({ id }) => id === plant.id)) return false
        await tick()
        remove(owner, plant.id)
        return create(owner, plant)
      },
    })),
  'looks, waits, then deletes': () =>
    changed(({ list, delete: remove }) => ({
      async delete(owner: string, id: bigint) {
        if (!list(owner, { limit: 10_000 }).some((plant) => plant.id === id)) return false
        await tick()
        remove(owner, id)
        return true
      },
    })),
  'writes all of the owner’s back': () => {
    const kept = new Map<string, StoredPlant[]>()
    const read = async (owner: string) => {
      await tick()
      return kept.get(owner) ?? []
    }
    return {
      async create(owner, plant) {
        const plants = await read(owner)
        if (plants.some(({ id }) => id === plant.id)) return false
        await tick()
        kept.set(
          owner,
          [...plants, { ...plant }].sort((a, b) => right.compare(a.id, b.id)),
        )
        return true
      },
      async list(owner, page) {
        const plants = await read(owner)
        return plants
          .filter(({ id }) => right.isAfter(id, page))
          .slice(0, page.limit)
          .map(right.give)
      },
      async delete(owner, id) {
        const plants = await read(owner)
        if (!plants.some((plant) => plant.id === id)) return false
        kept.set(
          owner,
          plants.filter((plant) => plant.id !== id),
        )
        return true
      },
    }
  },
  'the first to ask is told true, the last is stored': () =>
    changed(({ create, delete: remove }) => {
      const underWay = new Map<string, number>()
      return {
        async create(owner: string, plant: StoredPlant) {
          const key = `${plant.id} ${owner}`
          const count = underWay.get(key) ?? 0
          underWay.set(key, count + 1)
          await tick()
          if (count > 0) remove(owner, plant.id)
          const created = create(owner, plant)
          underWay.delete(key)
          return count === 0 && created
        },
      }
    }),
  'false before the winner is stored': () => {
    const reserved = new Set<string>()
    return changed(({ create, list }) => ({
      async create(owner: string, plant: StoredPlant) {
        const key = `${plant.id} ${owner}`
        if (reserved.has(key)) return false
        if (list(owner, { limit: 10_000 }).some(({ id }) => id === plant.id)) return false
        reserved.add(key)
        await tick()
        await tick()
        create(owner, plant)
        reserved.delete(key)
        return true
      },
    }))
  },
  'a list made of two readings': () =>
    changed(({ list }) => ({
      async list(owner: string, page: Page) {
        const plants = list(owner, page)
        await tick()
        const now = list(owner, { limit: 10_000 })
        return plants.map((plant, index) => now[index] ?? plant)
      },
    })),
  'lists of an owner that wait together are one': () => {
    const join = joining<StoredPlant[]>()
    return changed(({ list }) => ({
      list: (owner: string, page: Page) => join(owner, () => list(owner, page)),
    }))
  },
  'the page is that of the last to ask': () => {
    let last: Page
    return changed(({ list }) => ({
      async list(owner: string, page: Page) {
        last = page
        await tick()
        return list(owner, last)
      },
    }))
  },
  'creates of one and the same plant that wait together are one': () => {
    const join = joining<boolean>()
    return changed(({ create }) => ({
      create(owner: string, plant: StoredPlant) {
        const key = JSON.stringify([owner, String(plant.id), plant.name, plant.tag])
        return join(key, () => create(owner, plant))
      },
    }))
  },
  'of creates that wait, those beyond the hundredth are forgotten': () => {
    let waiting = 0
    return changed(({ create }) => ({
      async create(owner: string, plant: StoredPlant) {
        if (waiting === 100) return true
        waiting++
        await tick()
        waiting--
        return create(owner, plant)
      },
    }))
  },
  'the tag is written after the name': () =>
    changed(({ create, owners }) => ({
      async create(owner: string, { id, name, tag }: StoredPlant) {
        if (!create(owner, { id, name })) return false
        await tick()
        const plant = owners.get(owner)!.get(id)
        if (plant) Reflect.set(plant, 'tag', tag)
        return true
      },
    })),
  'the tag is deleted before the name': () =>
    changed(({ owners, delete: remove }) => ({
      async delete(owner: string, id: bigint) {
        const plant = owners.get(owner)?.get(id)
        if (!plant) return false
        Reflect.set(plant, 'tag', undefined)
        await tick()
        return remove(owner, id)
      },
    })),
  'lists ids, then reads those plants that are still there': () =>
    changed(({ list, owners }) => ({
      async list(owner: string, page: Page) {
        const ids = list(owner, page).map(({ id }) => id)
        await tick()
        return ids.flatMap((id) => owners.get(owner)!.get(id) ?? []).map(right.give)
      },
    })),
  'a list in several readings': () =>
    changed(({ list }) => ({
      async list(owner: string, { after, limit }: Page) {
        const plants = list(owner, { after, limit: Math.min(limit, 10) })
        while (plants.length % 10 === 0 && plants.length > 0 && plants.length < limit) {
          await tick()
          const size = Math.min(10, limit - plants.length)
          const more = list(owner, { after: plants.at(-1)!.id, limit: size })
          if (more.length === 0) break
          plants.push(...more)
        }
        return plants
      },
    })),
  'a list that reads its second half first': () =>
    changed(({ list }) => ({
      async list(owner: string, page: Page) {
        const second = list(owner, page).filter(({ id }) => id >= 0n)
        await tick()
        const first = list(owner, page).filter(({ id }) => id < 0n)
        return [...first, ...second].slice(0, page.limit)
      },
    })),
  'a delete under way lets creates in that it then removes': () =>
    changed(({ list, delete: remove }) => ({
      async delete(owner: string, id: bigint) {
        const there = list(owner, { limit: 10_000 }).some((plant) => plant.id === id)
        await tick()
        remove(owner, id)
        return there
      },
    })),
}

const sharedByAll = storageOf()

/** A storage of one map by text keys, as key-value stores are. */
function keyed(
  key: (owner: string, id: bigint) => string,
  prefix?: (owner: string) => string,
): PlantStorage {
  const rows = new Map<string, StoredPlant & { owner: string }>()
  return {
    create(owner, plant) {
      if (rows.has(key(owner, plant.id))) return false
      rows.set(key(owner, plant.id), { ...plant, owner })
      return true
    },
    list: (owner, page) =>
      [...rows]
        .filter(([text, row]) => (prefix ? text.startsWith(prefix(owner)) : row.owner === owner))
        .map(([, { id, name, tag }]) => ({ id, name, tag }))
        .sort((a, b) => right.compare(a.id, b.id))
        .filter(({ id }) => right.isAfter(id, page))
        .slice(0, page.limit),
    delete: (owner, id) => rows.delete(key(owner, id)),
  }
}
