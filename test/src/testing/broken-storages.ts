import { setImmediate as tick } from 'node:timers/promises'
import type { StoredPlant } from '../../../src/plant.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import {
  type BaseStorage,
  correct,
  type Decisions,
  fileStorage,
  onCreate,
  onDelete,
  onList,
  storageOf,
} from './storage-of.ts'

type Openers = ReturnType<typeof fileStorage>
/** A broken storage, or the decisions that break one. */
type BrokenStorage = (() => PlantStorage) | Openers | Partial<Decisions>
/** Each name says how. */
type Broken = Record<string, BrokenStorage>

/** Opens a broken storage. */
export function openers(broken: BrokenStorage): { open: () => PlantStorage } & Partial<Openers> {
  if (typeof broken === 'function') return { open: broken }
  return 'open' in broken ? broken : { open: () => storageOf(broken) }
}

const overwriting = onCreate(
  (base, owner, plant) => base.create(owner, plant) || !base.put(owner, plant),
)

/** Storages that break the contract, by the beginning of the rule that must catch them, each by itself. */
export const brokenStorages: Record<string, Broken> = {
  'create returns true for a new id': {
    'create overwrites and returns false': overwriting,
    'list modifies the query': onList((base, owner, query) => {
      Reflect.set(query, 'limit', 1000)
      return base.list(owner, query)
    }),
    'list returns ids as numbers': { read: (plant) => ({ ...plant, id: +`${plant.id}` }) },
    'list returns names as bytes': {
      read: (plant) => ({ ...plant, name: Buffer.from(plant.name) }),
    },
    'list returns missing tags as null': {
      read: (plant) => ({ ...plant, tag: plant.tag ?? null }),
    },
    'list returns undefined': onList(() => undefined),
    'create needs a signal': onCreate((base, owner, plant, call) => {
      call!.signal.throwIfAborted()
      return base.create(owner, plant)
    }),
  },
  'ids are exact': {
    'deleted ids stay taken': onCreate((base, owner, plant) => {
      const isFirst = !base.notes.has(`${plant.id} ${owner}`)
      base.notes.set(`${plant.id} ${owner}`, 'taken')
      return isFirst && base.create(owner, plant)
    }),
    'after is a double': {
      isAfter: (id, after) => after === undefined || Number(id) > Number(after),
    },
    'delete always returns true': onDelete((base, owner, id) => base.delete(owner, id) || true),
    'delete always returns false': onDelete((base, owner, id) => base.delete(owner, id) && false),
    'ids are doubles in the key only': { key: (owner, id) => `${Number(id)} ${owner}` },
    'list is ordered by decimal text': {
      compare: (a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0),
    },
    'ids are doubles in the file': fileStorage({
      load: (plant) => ({ ...plant, id: BigInt(Number(plant.id)) }),
      reads: () => false,
    }),
  },
  'stored plants are independent': {
    'create keeps the object passed in': { write: (plant) => plant },
    'list returns the stored objects': { read: (plant) => plant },
    'list returns an array that it keeps': onList(({ notes, rows, list }, owner, query) => {
      const key = `${rows.size} ${owner}`
      if (!notes.has(key)) notes.set(key, list(owner, query).map(Object.freeze))
      return notes.get(key)
    }),
  },
  'a call whose signal is aborted': {
    'list returns what it has': onList((base, owner, { after, limit }, call) =>
      base.list(owner, { after, limit: call?.signal.aborted ? 1 : limit }),
    ),
    'create returns true when it is aborted': onCreate(
      (base, owner, plant, call) => call?.signal.aborted || base.create(owner, plant),
    ),
    'delete returns true when it is aborted': onDelete(
      (base, owner, id, call) => call?.signal.aborted || base.delete(owner, id),
    ),
    'create keeps its lock when it is aborted on the way': onCreate(
      async (base, owner, plant, call) => {
        if (base.notes.has('lock')) throw new Error('cannot start a transaction in a transaction')
        base.notes.set('lock', true)
        await tick()
        call?.signal.throwIfAborted()
        base.notes.delete('lock')
        return base.create(owner, plant)
      },
    ),
  },
  'list returns the first limit plants': {
    'limit is ignored': { cut: (plants) => plants },
    'limit is a 16-bit number': {
      cut: (plants, { limit }) => plants.slice(0, (limit << 16) >> 16),
    },
    'after 0 is ignored': { isAfter: (id, after) => !after || id > after },
    'after + 1 overflows': {
      isAfter: (id, after) => after === undefined || id >= BigInt.asIntN(64, after + 1n),
    },
    'concurrent lists share their query': onList(async ({ notes, list }, owner, query) => {
      notes.set('query', query)
      await tick()
      return list(owner, notes.get('query'))
    }),
    'a page is filtered from twice as many plants and tombstones': () => {
      const isThere = ({ name }: StoredPlant) => name !== 'tombstone'
      const base = storageOf({
        cut: (rows, { limit }) =>
          rows
            .slice(0, 2 * limit)
            .filter(isThere)
            .slice(0, limit),
      })
      return { ...base, delete: (owner, id) => base.put(owner, { id, name: 'tombstone' }) }
    },
  },
  'list sees every completed call': {
    'cached pages expire when the number of plants changes': onList((base, owner, query) => {
      const key = `${base.rows.size} ${owner} ${query.after} ${query.limit}`
      if (!base.notes.has(key)) base.notes.set(key, base.list(owner, query))
      return base.notes.get(key).map(correct.read)
    }),
    'create restores the previous tag of the id': onCreate((base, owner, plant) => {
      const key = `${plant.id} ${owner}`
      if (plant.tag) base.notes.set(key, plant.tag)
      return base.create(owner, { ...plant, tag: plant.tag ?? base.notes.get(key) })
    }),
  },
  'owners are compared exactly': ownersThat({
    'are in lower case': (owner) => owner.toLowerCase(),
    'are in NFC': (owner) => owner.normalize('NFC'),
    'lose accents': (owner) => owner.normalize('NFD').replace(/\p{M}/gu, ''),
    'are percent-decoded': (owner) =>
      owner.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number(`0x${code}`))),
    'are hashed to 32 bits': (owner) => hashed(owner, 0xffffffff),
    'are cut after 1400 bytes': (owner) => Buffer.from(owner).subarray(0, 1400).toString(),
    'are refused if longer than 1403 bytes'(owner) {
      if (Buffer.byteLength(owner) > 1403) throw new Error('Data too long')
      return owner
    },
  }),
  'a list has no plant of an owner': {
    'list pages the plants of all owners, then looks for those of one': onList(
      ({ rows }, owner, { after, limit }) =>
        [...rows.values()]
          .filter(({ plant }) => correct.isAfter(plant.id, after))
          .sort((a, b) => correct.compare(a.plant.id, b.plant.id))
          .slice(0, limit)
          .flatMap((row) => (row.owner === owner ? row.plant : [])),
    ),
    ...ownersThat({ 'are hashed to 14 bits': (owner) => hashed(owner, 0x3fff) }),
    'list selects by the suffix ":" and owner': {
      isOf: (stored, owner) => `:${stored}`.endsWith(`:${owner}`),
    },
    ...listsByPrefix('! @ ~ : / \t \u001f \u0085 ü \u2003 、 🌿 -> :plant:'.split(' ')),
  },
  'an owner cannot see': {
    'the key is owner and id without separator': { key: (owner, id) => `${owner}${id}` },
    'all owners share their plants': { ownerKey: () => 'everybody' },
    'delete removes the id from all owners': onDelete((base, owner, id) => {
      const deleted = base.delete(owner, id)
      for (const [key, { plant }] of base.rows) if (plant.id === id) base.rows.delete(key)
      return deleted
    }),
  },
  'names and tags are returned unchanged': {
    'names are trimmed': naming((name) => name.trim()),
    'names lose isolates': naming((name) => name.replace(/[\u2066-\u2069]/g, '')),
    'tags lose what XML lacks': tagging((tag) => tag?.replace(/[\b\v\f]/g, '')),
    'tags lose tag characters': tagging((tag) => tag?.replace(/[\u{e0020}-\u{e007f}]/gu, '')),
    'tags are serialized again if they look like JSON': tagging((tag) => {
      try {
        return tag && JSON.stringify(JSON.parse(tag))
      } catch {
        return tag
      }
    }),
    'names are in NFC': naming((name) => name.normalize('NFC')),
    'names are parsed as numbers': naming((name) => (/^\d+$/.test(name) ? `${+name}` : name)),
    'empty tags are lost': { write: ({ tag, ...plant }) => (tag ? { ...plant, tag } : plant) },
    'missing tags become empty': tagging((tag = '') => tag),
  },
  'only the last page is short, however large the plants are': {
    'a page has at most four megabytes': {
      cut(plants, { limit }) {
        let room = 2 ** 22
        return plants.slice(0, limit).filter(({ name }) => {
          room -= name.length
          return room >= 0
        })
      },
    },
  },
  'names and tags that fill a body': {
    'names are cut after 16 000 characters': naming((name) => name.slice(0, 16_000)),
    'tags are cut after 16 000 characters': tagging((tag) => tag?.slice(0, 16_000)),
  },
  'exactly one of many concurrent creates or deletes': {
    'concurrent creates overwrite and return false': overwriting,
    'create returns false before the other plant is stored': onCreate(
      (base, owner, plant) =>
        !base.get(owner, plant.id) &&
        reserve(base, `${plant.id} ${owner}`, () => base.put(owner, plant)),
    ),
    'delete returns false before the other delete has removed the plant': onDelete(
      (base, owner, id) =>
        base.get(owner, id) !== undefined &&
        reserve(base, `${id} ${owner}`, () => base.delete(owner, id)),
    ),
  },
  'concurrent calls for different plants': {
    'of many concurrent creates, only 256 are stored': onCreate(async (base, owner, plant) => {
      const pending = base.notes.get('pending') ?? 0
      if (pending === 256) return true
      base.notes.set('pending', pending + 1)
      await tick()
      base.notes.set('pending', base.notes.get('pending') - 1)
      return base.create(owner, plant)
    }),
  },
  'racing creates and deletes': {
    'delete looks for the plant, then removes it': onDelete(async (base, owner, id) => {
      const isThere = base.get(owner, id) !== undefined
      await tick()
      base.delete(owner, id)
      return isThere
    }),
    'create stores the tag after the name': onCreate(async (base, owner, { id, name, tag }) => {
      if (!base.create(owner, { id, name })) return false
      await tick()
      const plant = base.get(owner, id)
      if (plant) Reflect.set(plant, 'tag', tag)
      return true
    }),
  },
  'pages read during other calls': {
    'list reads ids, then the plants that still exist': onList(async (base, owner, query) => {
      const ids = base.list(owner, query).map(({ id }) => id)
      await tick()
      return ids.flatMap((id) => base.get(owner, id) ?? []).map(correct.read)
    }),
  },
  'a list is a snapshot': {
    'list awaits every fifth plant': onList(async ({ list }, owner, { after, limit }) => {
      const plants = list(owner, { after, limit: Math.min(5, limit) })
      while (plants.length > 0 && plants.length < limit) {
        await undefined
        const room = Math.min(5, limit - plants.length)
        const more = list(owner, { after: plants.at(-1)!.id, limit: room })
        if (more.length === 0) break
        plants.push(...more)
      }
      return plants
    }),
  },
  'a plant stays until it is deleted': {
    'plants are listed for two seconds': {
      write: (plant) => Object.assign({ created: Date.now() }, plant),
      read: ({ id, name, tag }) => ({ id, name, tag }),
      cut: (plants: (StoredPlant & { created?: number })[], { limit }) =>
        plants.filter(({ created }) => Date.now() - created! < 2000).slice(0, limit),
    },
  },
  '2500 plants of one owner': {
    'a page has at most 1000 plants': {
      cut: (plants, { limit }) => plants.slice(0, Math.min(limit, 1000)),
    },
  },
  'the last calls before close': {
    'nothing is written': fileStorage({ save: () => {}, reads: () => false }),
    'deletes are not written': fileStorage({
      save: (write, method) => method === 'create' && write(),
      reads: () => false,
    }),
    'refused creates are written': replaying(),
    'changes are written late': fileStorage({
      save: (write) => setTimeout(write, 20),
      reads: () => false,
    }),
  },
  'each of two instances sees': {
    'lists come from a cache until a call of one’s own': fileStorage({
      reads: (method) => method !== 'list',
    }),
  },
  'of concurrent calls of two instances': {
    'creates look in a cache of their own': fileStorage({ reads: (method) => method !== 'create' }),
  },
  'two instances that create and delete': {
    'each instance writes what it had read': fileStorage({ reads: (method) => method === 'list' }),
  },
  'an instance goes on when others are closed': {
    'the first one closes what is shared': fileStorage({ clears: (index) => index === 0 }),
  },
}

/** Starts again from all that it was given, also from what it refused. */
function replaying(): Openers {
  const file = storageOf()
  function open(): PlantStorage {
    const base = storageOf()
    for (const [key, row] of file.rows) base.rows.set(key, row)
    return {
      ...base,
      create: (owner, plant) => file.put(owner, plant) && base.create(owner, plant),
      delete: (owner, id) => file.delete(owner, id) && base.delete(owner, id),
    }
  }
  return { open, reopen: open, openSecond: open }
}

/** Lists by what an owner begins with, as composite keys may. */
function listsByPrefix(separators: string[]): Broken {
  const broken = separators.map((separator): [string, BrokenStorage] => [
    `list selects by the prefix owner and ${JSON.stringify(separator)}`,
    { isOf: (stored, owner) => (stored + separator).startsWith(owner + separator) },
  ])
  return Object.fromEntries(broken)
}

function naming(change: (name: string) => string): Partial<Decisions> {
  return { write: (plant) => ({ ...plant, name: change(plant.name) }) }
}

function tagging(change: (tag?: string) => string | undefined): Partial<Decisions> {
  return { write: (plant) => ({ ...plant, tag: change(plant.tag) }) }
}

function ownersThat(changes: Record<string, (owner: string) => string>): Broken {
  const broken = Object.entries(changes).map(([name, ownerKey]) => [`owners ${name}`, { ownerKey }])
  return Object.fromEntries(broken)
}

function hashed(text: string, mask: number): string {
  return String([...text].reduce((hash, unit) => (hash * 31 + unit.charCodeAt(0)) & mask, 0))
}

/** Changes a plant a little later, and returns false to the calls with the same key in between. */
async function reserve({ notes }: BaseStorage, key: string, run: () => boolean): Promise<boolean> {
  if (notes.has(key)) return false
  notes.set(key, 'reserved')
  await tick()
  await tick()
  notes.delete(key)
  return run()
}
