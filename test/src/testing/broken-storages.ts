import { setImmediate as tick } from 'node:timers/promises'
import type { StoredPlant } from '../../../src/plant.ts'
import type { PageQuery, PlantStorage, StorageCall } from '../../../src/plant-storage.ts'
import {
  type BaseStorage,
  correct,
  type Decisions,
  fileStorage,
  onCreate,
  onDelete,
  onList,
  replacing,
  storageOf,
} from './storage-of.ts'

export type Openers = ReturnType<typeof fileStorage>
/** Broken storages. Each name says how. */
type Broken = Record<string, (() => PlantStorage) | Openers>

/** Storages that break the contract, by the beginning of the rule that must catch them, each by itself. */
export const brokenStorages: Record<string, Broken> = {
  'create returns true for a new id': {
    'create overwrites and returns true': onCreate((base, owner, plant) => base.put(owner, plant)),
    'create overwrites and returns false': onCreate(
      (base, owner, plant) => base.create(owner, plant) || !base.put(owner, plant),
    ),
    'create adds the tag of a duplicate': onCreate((base, owner, plant) => {
      if (base.create(owner, plant)) return true
      const stored = base.get(owner, plant.id)!
      return !Reflect.set(stored, 'tag', stored.tag ?? plant.tag)
    }),
    'create always returns true': onCreate(
      (base, owner, plant) => base.create(owner, plant) || true,
    ),
    'create returns true again for an identical plant': onCreate((base, owner, plant) => {
      const stored = base.get(owner, plant.id)
      const isIdentical = stored && stored.name === plant.name && stored.tag === plant.tag
      return isIdentical || base.create(owner, plant)
    }),
    'create throws for a duplicate': onCreate((base, owner, plant) => {
      if (base.create(owner, plant)) return true
      throw new Error('UNIQUE constraint failed')
    }),
    'create stores nothing': onCreate(() => true),
    'create returns before it stores': onCreate((base, owner, plant) => {
      if (base.get(owner, plant.id)) return false
      return !!setImmediate(() => base.create(owner, plant))
    }),
    'create modifies the object passed in': onCreate((base, owner, plant) => {
      if (plant.tag === undefined) Reflect.set(plant, 'tag', '')
      return base.create(owner, plant)
    }),
    'list modifies the query': onList((base, owner, query) => {
      Reflect.set(query, 'limit', 0)
      return base.all(owner)
    }),
    'tags are lost': deciding({ write: ({ id, name }) => ({ id, name }) }),
    'list returns plants without name': deciding({ read: ({ id, tag }) => ({ id, tag }) }),
    'list returns plants without id': deciding({ read: ({ name, tag }) => ({ name, tag }) }),
    'list returns null instead of plants': deciding({ read: () => null }),
    'list returns ids as numbers': deciding({
      read: (plant) => ({ ...plant, id: +`${plant.id}` }),
    }),
    'list returns missing tags as null': deciding({
      read: (plant) => ({ ...plant, tag: plant.tag ?? null }),
    }),
    'list returns an object with rows': converting('list', (rows) => ({ rows })),
    'list returns undefined': converting('list', () => undefined),
    'create returns undefined': converting('create', () => undefined),
    'create returns 0 or 1': converting('create', Number),
    'create returns a promise of the number of changes': converting('create', async (done) => ({
      changes: Number(done),
    })),
  },
  'ids are exact': {
    'ids are doubles': deciding({
      idKey: Number,
      write: (plant) => ({ ...plant, id: BigInt(Number(plant.id)) }),
    }),
    'ids are doubles in the key only': deciding({ idKey: Number }),
    'ids are int32': deciding({ idKey: (id) => BigInt.asIntN(32, id) }),
    'ids up to 2^31 are float32': deciding({
      idKey: (id) => (id > 0n && id < 2n ** 31n ? Math.fround(Number(id)) : id),
    }),
    'ids lose their sign': deciding({ idKey: absolute }),
    'ids are divided by 1000': deciding({ idKey: (id) => id / 1000n }),
    'ids are unsigned': deciding({
      write: (plant) => ({ ...plant, id: BigInt.asUintN(64, plant.id) }),
    }),
    'ids below 0 are refused': onCreate((base, owner, plant) => {
      if (plant.id < 0n) throw new RangeError('out of range')
      return base.create(owner, plant)
    }),
    'id 0 cannot be deleted': onDelete((base, owner, id) => !!id && base.delete(owner, id)),
    'the smallest id cannot be deleted': onDelete(
      (base, owner, id) => id !== -(2n ** 63n) && base.delete(owner, id),
    ),
    'the greatest id cannot be deleted': onDelete(
      (base, owner, id) => id !== 2n ** 63n - 1n && base.delete(owner, id),
    ),
    'list is unordered': deciding({ compare: () => 0 }),
    'list is descending': deciding({ compare: (a, b) => correct.compare(b, a) }),
    'list is ordered by decimal text': deciding({
      compare: (a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0),
    }),
    'list is ordered by unsigned integers': deciding({
      compare: (a, b) => correct.compare(BigInt.asUintN(64, a), BigInt.asUintN(64, b)),
    }),
    'list is ordered by doubles': deciding({ compare: (a, b) => Number(a) - Number(b) }),
    'list is ordered by int32 differences': deciding({ compare: (a, b) => Number(a - b) | 0 }),
    'list is ordered by absolute values': deciding({
      compare: (a, b) => correct.compare(absolute(a), absolute(b)),
    }),
    'list is ordered by padded text': deciding({
      compare: (a, b) => (padded(a) < padded(b) ? -1 : 1),
    }),
    'list returns ids counted from one': deciding({
      read: (plant) => ({ ...plant, id: plant.id + 1n }),
    }),
    'ids are doubles in the file': fileStorage({
      toText: (rows) =>
        JSON.stringify(rows.map(([owner, plant]) => [owner, { ...plant, id: Number(plant.id) }])),
      reads: () => false,
    }),
  },
  'stored plants are independent': {
    'create keeps the object passed in': deciding({ write: (plant) => plant }),
    'list returns the stored objects': deciding({ read: (plant) => plant }),
    'list returns the stored array': onList(({ all, calls, notes }, owner, { after, limit }) => {
      const key = `${calls.create} ${calls.delete} ${owner}`
      if (!notes.has(key)) notes.set(key, all(owner).map(Object.freeze))
      const plants: StoredPlant[] = notes.get(key)
      return after === undefined && plants.length <= limit ? plants : plants.slice(0, limit)
    }),
    'list uses one array for all results': onList((base, owner, query) => {
      const shared: StoredPlant[] = base.notes.get('shared') ?? []
      base.notes.set('shared', shared)
      shared.splice(0, shared.length, ...base.list(owner, query))
      return shared
    }),
    'listed plants are views of what is stored': onList((base, owner, query) =>
      base.list(owner, query).map(({ id, tag }) => ({
        ...{ id, tag },
        get name() {
          return base.get(owner, id)!.name
        },
      })),
    ),
  },
  'each method works without': {
    'create needs a signal': onCreate((base, owner, plant, call) => {
      call!.signal.throwIfAborted()
      return base.create(owner, plant)
    }),
    'list needs a signal': onList((base, owner, query, call) => {
      call!.signal.throwIfAborted()
      return base.list(owner, query)
    }),
    'delete needs a create before it': onDelete((base, owner, id) => {
      if (base.calls.create === 0) throw new Error('no such table: plants')
      return base.delete(owner, id)
    }),
    'delete throws if there is no such plant': onDelete((base, owner, id) => {
      if (base.delete(owner, id)) return true
      throw new Error('not found')
    }),
  },
  'a call whose signal is aborted': {
    'create returns false': onCreate(
      (base, owner, plant, call) => !isAborted(call) && base.create(owner, plant),
    ),
    'create returns true, and stores nothing': onCreate(
      (base, owner, plant, call) => isAborted(call) || base.create(owner, plant),
    ),
    'delete returns false': onDelete(
      (base, owner, id, call) => !isAborted(call) && base.delete(owner, id),
    ),
    'list returns what it has': onList((base, owner, { after, limit }, call) =>
      base.list(owner, { after, limit: isAborted(call) ? 1 : limit }),
    ),
    'create keeps its lock': onCreate((base, owner, plant, call) => {
      if (base.notes.has('lock')) throw new Error('cannot start a transaction within a transaction')
      if (isAborted(call)) base.notes.set('lock', true)
      call?.signal.throwIfAborted()
      return base.create(owner, plant)
    }),
  },
  'an owner’s plants can be created in any order': {
    'a page has at most 100 plants': deciding({
      cut: (plants, { limit }) => plants.slice(0, Math.min(limit, 100)),
    }),
    'deleted ids stay taken': onCreate((base, owner, plant) => {
      if (base.notes.has(`${plant.id} ${owner}`)) return false
      base.notes.set(`${plant.id} ${owner}`, 'taken')
      return base.create(owner, plant)
    }),
    'an owner whose 100 plants were deleted can create no more': onCreate((base, owner, plant) => {
      const count = base.owners.get(owner)?.size
      if (count === 0 && base.notes.has(owner)) return true
      if (count === 100) base.notes.set(owner, 'large')
      return base.create(owner, plant)
    }),
    'at most 100 plants can be created in descending order': onCreate((base, owner, plant) => {
      const run = base.notes.get(owner)
      const length = run && plant.id < run.last ? run.length + 1 : 0
      base.notes.set(owner, { last: plant.id, length })
      return length > 100 || base.create(owner, plant)
    }),
    'pages of all owners but the first have at most 60 plants': onList(
      (base, owner, { after, limit }) => {
        const isFirst = base.owners.keys().next().value === owner
        return base.list(owner, { after, limit: isFirst ? limit : Math.min(limit, 60) })
      },
    ),
  },
  'list returns the first limit plants': {
    'limit is ignored': deciding({ cut: (plants) => plants }),
    'a page has one plant too many': deciding({
      cut: (plants, { limit }) => plants.slice(0, limit + 1),
    }),
    'a page has one plant too few': deciding({
      cut: (plants, { limit }) => plants.slice(0, Math.max(1, limit - 1)),
    }),
    'a page has the last plants': deciding({ cut: (plants, { limit }) => plants.slice(-limit) }),
    'limit is a 16-bit number': deciding({
      cut: (plants, { limit }) => plants.slice(0, (limit << 16) >> 16),
    }),
    'after is ignored': deciding({ isAfter: () => true }),
    'after 0 is ignored': deciding({ isAfter: (id, after) => !after || id > after }),
    'a missing after is 0': deciding({ isAfter: (id, after) => id > (after ?? 0n) }),
    'a missing after is the smallest id': deciding({
      isAfter: (id, after) => id > (after ?? -(2n ** 63n)),
    }),
    'after is inclusive': deciding({ toAfter: (after) => after - 1n }),
    'after + 1 overflows': deciding({ toAfter: (after) => BigInt.asIntN(64, after + 1n) - 1n }),
    'after must be a stored id': deciding({
      isAfter: () => true,
      cut(plants, { after, limit }) {
        const start = plants.findIndex(({ id }) => id === after) + 1
        return plants.slice(start, start + limit)
      },
    }),
  },
  'after is exact': {
    'after is a double': deciding({
      isAfter: (id, after) => after === undefined || Number(id) > Number(after),
    }),
    'after is a double below 0': deciding({
      toAfter: (after) => (after < 0n ? BigInt(Number(after)) : after),
    }),
    'after is a double around 2^62': deciding({
      toAfter: (after) => (after >> 62n === 1n ? BigInt(Number(after)) & ~1n : after),
    }),
    'after is a 48-bit number from 2^48 to 2^53': deciding({
      toAfter: (after) =>
        after >> 48n > 0n && after >> 53n === 0n ? BigInt.asIntN(48, after) : after,
    }),
  },
  'only the last page may be short, even if deleted': {
    'limit applies before the filter by owner': onList(({ owners }, owner, { after, limit }) =>
      [...owners]
        .flatMap(([key, plants]) => [...plants.values()].map((plant) => ({ key, plant })))
        .filter(({ plant }) => correct.isAfter(plant.id, after))
        .sort((a, b) => correct.compare(a.plant.id, b.plant.id))
        .slice(0, limit)
        .filter(({ key }) => key === owner)
        .map(({ plant }) => correct.read(plant)),
    ),
    'limit applies before the filter of tombstones': () => withTombstones(({ limit }) => limit),
    'a page is filtered from twice as many plants and tombstones': () =>
      withTombstones(({ limit }) => 2 * limit),
  },
  'list sees every completed call': {
    'cached pages never expire': onList(cached(() => '')),
    'cached pages expire on create only': onList(cached(({ calls }) => calls.create)),
    'cached pages expire when the number of plants changes': onList(
      cached(({ owners }, owner) => owners.get(owner)?.size),
    ),
    'create restores the previous plant of the id': onCreate((base, owner, plant) => {
      const previous = base.notes.get(`${plant.id} ${owner}`) ?? plant
      const created = base.create(owner, previous)
      if (created) base.notes.set(`${plant.id} ${owner}`, { ...previous })
      return created
    }),
    'create restores the previous tag of the id': onCreate((base, owner, plant) => {
      const tag = plant.tag ?? base.notes.get(`${plant.id} ${owner}`)
      if (tag) base.notes.set(`${plant.id} ${owner}`, tag)
      return base.create(owner, { ...plant, tag })
    }),
    'list returns undefined instead of an empty array': converting('list', (plants) =>
      plants.length > 0 ? plants : undefined,
    ),
  },
  'delete returns true and removes only that plant': {
    'delete always returns true': onDelete((base, owner, id) => base.delete(owner, id) || true),
    'delete returns true again for a deleted plant': onDelete(
      ({ notes, ...base }, owner, id) =>
        notes.has(`${id} ${owner}`) ||
        (base.delete(owner, id) && !!notes.set(`${id} ${owner}`, 'gone')),
    ),
    'delete always returns false': onDelete((base, owner, id) => base.delete(owner, id) && false),
    'delete returns 0 or 1': converting('delete', Number),
    'delete returns null': converting('delete', () => null),
    'delete removes nothing': onDelete((base, owner, id) => !!base.get(owner, id)),
    'delete removes all plants of the owner': onDelete((base, owner, id) => {
      const deleted = base.delete(owner, id)
      if (deleted) base.owners.delete(owner)
      return deleted
    }),
    'delete removes all ids with the same prefix': onDelete((base, owner, id) => {
      const deleted = base.delete(owner, id)
      for (const other of base.all(owner)) {
        if (String(other.id).startsWith(String(id))) base.delete(owner, other.id)
      }
      return deleted
    }),
    'delete removes all plants with the same name and tag': onDelete((base, owner, id) => {
      const plant = base.get(owner, id)
      if (!plant) return false
      for (const other of base.all(owner)) {
        if (other.name === plant.name && other.tag === plant.tag) base.delete(owner, other.id)
      }
      return true
    }),
    'delete removes the next id if there is no such plant': onDelete(
      (base, owner, id) => base.delete(owner, id) || base.delete(owner, id + 1n),
    ),
    'delete returns before it removes': onDelete((base, owner, id) => {
      setImmediate(() => base.delete(owner, id))
      return !!base.get(owner, id)
    }),
    'a new plant gets the tag of the one deleted before': () => {
      const base = storageOf()
      let tag: string | undefined
      return {
        ...base,
        create: (owner, plant) => base.create(owner, { ...plant, tag: plant.tag ?? tag }),
        delete(owner, id) {
          tag = base.get(owner, id)?.tag ?? tag
          return base.delete(owner, id)
        },
      }
    },
  },
  'owners are compared exactly': {
    ...ownersThat({
      'are in lower case': (owner) => owner.toLowerCase(),
      'are in upper case': (owner) => owner.toUpperCase(),
      'are trimmed': (owner) => owner.trim(),
      'are padded': (owner) => owner.replace(/ +$/, ''),
      'are in NFC': (owner) => owner.normalize('NFC'),
      'are in NFD': (owner) => owner.normalize('NFD'),
      'are in NFKC': (owner) => owner.normalize('NFKC'),
      'lose accents': (owner) => owner.normalize('NFD').replace(/\p{M}/gu, ''),
      'lose invisible characters': (owner) => owner.replace(/\p{Cf}|\ufe0f/gu, ''),
      'are in ASCII': (owner) => owner.replace(/[^ -~]/g, '?'),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are lost.
      'lose control characters': (owner) => owner.replace(/[\u0001-\u001f]/g, ''),
      'lose characters beyond 16 bits': (owner) => owner.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      'lose quotes': (owner) => owner.replace(/['"`]/g, ''),
      'are unescaped': (owner) => owner.replace(/\\(.)/g, '$1'),
      'lose the byte order mark': (owner) => new TextDecoder().decode(Buffer.from(owner)),
      'are percent-decoded': (owner) =>
        owner.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number(`0x${code}`))),
      'are normalized as paths': (owner) => new URL(`http://a/${encodeURI(owner)}`).pathname,
      'are parsed as numbers': (owner) => (owner.trim() === '' ? owner : String(+owner || owner)),
      'in katakana and hiragana are equal': (owner) =>
        owner.replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)),
      'lose leading zeros': (owner) => owner.replace(/([a-z])0+(\d)/g, '$1$2'),
      'lose form feeds': (owner) => owner.replace(/[\b\v\f]/g, ''),
      'are hashed to 32 bits': (owner) =>
        String([...owner].reduce((hash, unit) => (hash * 31 + unit.charCodeAt(0)) | 0, 0)),
    }),
    'owners are members of an object': () => {
      const object: Record<string, any> = {}
      return storageOf({}, {
        get: (owner: string) => object[owner],
        set: (owner: string, plants: unknown) => (object[owner] = plants),
      } as any)
    },
    'owners are patterns': onList((base, owner, query) => {
      const pattern = owner.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*')
      const matching = [...base.owners.keys()].find((key) => new RegExp(`^${pattern}$`).test(key))
      return matching === undefined ? [] : base.list(matching, query)
    }),
    'list selects by the prefix owner and colon': () => keyed(':', (owner) => `${owner}:`),
    'the admin sees all': onList((base, owner, query) =>
      owner === 'admin' ? [...base.owners.keys()].flatMap(base.all) : base.list(owner, query),
    ),
  },
  'owners of up to 1404 bytes': ownersThat({
    'are cut after 64 characters': (owner) => owner.slice(0, 64),
    'are cut after 255 characters': (owner) => owner.slice(0, 255),
    'are cut after 1400 bytes': (owner) => Buffer.from(owner).subarray(0, 1400).toString(),
    'are cut to the last 255 characters': (owner) => owner.slice(-255),
    'are cut in the middle': (owner) =>
      owner.length < 100 ? owner : `${owner.slice(0, 40)}${owner.length}${owner.slice(-40)}`,
    'are refused if longer than 1403 bytes'(owner) {
      if (Buffer.byteLength(owner) > 1403) throw new Error('Data too long')
      return owner
    },
  }),
  'the key is the pair of owner and id': {
    'the key is owner and id without separator': () => keyed(''),
    'the key is owner and id with a dash': () => keyed('-'),
    'the key is id and owner without separator': () =>
      keyed('', undefined, (owner, id) => `${id}${owner}`),
    'list selects by the prefix owner and slash': () => keyed('/', (owner) => `${owner}/`),
    'list selects by the prefix owner': () => keyed('\0', (owner) => owner),
  },
  'an owner cannot see': {
    'all owners share their plants': deciding({ ownerKey: () => 'everybody' }),
    'ids are unique across owners': onCreate(
      (base, owner, plant) =>
        ![...base.owners.values()].some((plants) => plants.has(plant.id)) &&
        base.create(owner, plant),
    ),
    'delete removes the id from all owners': onDelete((base, owner, id) => {
      const deleted = base.delete(owner, id)
      for (const plants of base.owners.values()) plants.delete(id)
      return deleted
    }),
    'delete falls back on the first owner if the owner has no plants': onDelete(
      (base, owner, id) => {
        const [first = owner] = base.owners.keys()
        return base.delete(base.owners.get(owner)?.size ? owner : first, id)
      },
    ),
  },
  'names and tags are returned unchanged': {
    ...namesAndTagsThat({
      'are trimmed': (text) => text.trim(),
      'lose placeholders': (text) => text.replace(/%[sd]/g, ''),
      'lose doubled percent signs': (text) => text.replace(/%(?=%)/g, ''),
      'lose variable names': (text) => text.replace(/^\$[A-Z]+$/, ''),
      'lose comments': (text) => text.replace(/ #.*$/, ''),
      'lose the false of YAML': (text) => text.replace(/^no$/, ''),
      'are serialized again if they look like JSON'(text) {
        try {
          return JSON.stringify(JSON.parse(text))
        } catch {
          return text
        }
      },
    }),
    'names are cut after 255 characters': naming((name) => name.slice(0, 255)),
    'names are in NFC': naming((name) => name.normalize('NFC')),
    'names lose carriage returns': naming((name) => name.replaceAll('\r\n', '\n')),
    'names lose the byte order mark': naming((name) => name.replace(/^\ufeff/, '')),
    'names are parsed as numbers': naming((name) => (/^\d+$/.test(name) ? `${+name}` : name)),
    'names are replacement patterns': naming((name) => 'x'.replace('x', name)),
    'names and tags are swapped': deciding({
      write: ({ id, name, tag }) =>
        tag === undefined ? { id, name } : { id, name: tag, tag: name },
    }),
    'lines of a file end at any line break': fileStorage({
      toText: (rows) =>
        rows.map(([owner, { id, name }]) => `${[owner, id].join()},${name}`).join('\n'),
      toRows: (text) =>
        text.split('\n').flatMap((line) => {
          const [, owner, id, name] = /^([^,]*),(-?\d+),(.*)$/.exec(line) ?? []
          return owner ? [[owner, { id: BigInt(id!), name: name! }] as const] : []
        }) as any,
      reads: () => false,
    }),
    'the file escapes what is escaped already': fileStorage({
      toText: (rows) =>
        JSON.stringify(
          rows.map(([owner, { id, name, tag }]) => {
            const escaped = name.replaceAll('&', '&amp;')
            return [owner, { id: `${id}`, name: escaped, tag }]
          }),
        ),
      reads: () => false,
    }),
  },
  'every character of a name or tag': namesAndTagsThat({
    'lose what XML lacks': (text) => text.replace(/[\b\v\f]/g, ''),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this character is lost.
    'lose end-of-file characters': (text) => text.replace(/\u001a/g, ''),
    'lose C1 control characters': (text) => text.replace(/[\u0086-\u009f]/g, ''),
    'lose private-use characters': (text) => text.replace(/[\ue000-\uf8ff]/g, ''),
    'lose kana': (text) => text.replace(/[\u3040-\u30ff]/g, ''),
    'lose isolates': (text) => text.replace(/[\u2066-\u2069]/g, ''),
    'lose annotations': (text) => text.replace(/[\ufff9-\ufffb]/g, ''),
    'lose tag characters': (text) => text.replace(/[\u{e0020}-\u{e007f}]/gu, ''),
    'lose characters beyond 16 bits': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  }),
  'a missing tag stays missing': {
    'empty tags are lost': deciding({
      write: ({ tag, ...plant }) => (tag ? { ...plant, tag } : plant),
    }),
    'missing tags become empty': deciding({
      write: (plant) => ({ ...plant, tag: plant.tag ?? '' }),
    }),
    'missing tags become the text undefined': deciding({
      write: (plant) => ({ ...plant, tag: String(plant.tag) }),
    }),
    'the tag "null" becomes missing': deciding({
      write: (plant) => ({ ...plant, tag: plant.tag === 'null' ? undefined : plant.tag }),
    }),
    'an undefined tag cannot be bound': onCreate((base, owner, plant) => {
      if ('tag' in plant && plant.tag === undefined) throw new TypeError('Cannot bind undefined')
      return base.create(owner, plant)
    }),
    'names are unique': unique(({ name }) => name),
    'tags are unique': unique(({ tag }) => tag || undefined),
    'empty tags are missing after the file was read': fileStorage({
      toRows: (text) =>
        JSON.parse(text).map(([owner, { id, name, tag }]: any) => [
          owner,
          { id: BigInt(id), name, tag: tag || undefined },
        ]),
      reads: () => false,
    }),
  },
  'only the last page may be short, even if the plants are large': {
    'a page has at most one megabyte': () => withPageBytes(2 ** 20),
    'a page has at most four megabytes': () => withPageBytes(2 ** 22),
  },
  'names and tags that fill a body': {
    'names are cut after 60 000 characters': naming((name) => name.slice(0, 60_000)),
    'names are decoded in chunks': naming((name) => {
      const bytes = Buffer.from(name)
      const starts = Array.from({ length: bytes.length / 4096 + 1 }, (_, index) => index * 4096)
      return starts.map((at) => bytes.toString('utf8', at, at + 4096)).join('')
    }),
    'tags are cut after 20 000 characters': deciding({
      write: (plant) => ({ ...plant, tag: plant.tag?.slice(0, 20_000) }),
    }),
  },
  'exactly one of many concurrent creates': {
    'create looks, waits, then stores': onCreate(
      (base, owner, plant) =>
        !base.get(owner, plant.id) && tick().then(() => base.put(owner, plant)),
    ),
    'the first create returns true, the last one is stored': onCreate(
      async (base, owner, plant) => {
        const key = `${plant.id} ${owner}`
        const isFirst = !base.notes.has(key)
        base.notes.set(key, 'pending')
        await tick()
        const created = isFirst ? base.create(owner, plant) : !base.put(owner, plant)
        base.notes.delete(key)
        return created
      },
    ),
    'create returns false before the other plant is stored': onCreate(
      async (base, owner, plant) => {
        const key = `${plant.id} ${owner}`
        if (base.notes.has(key) || base.get(owner, plant.id)) return false
        base.notes.set(key, 'reserved')
        await tick()
        await tick()
        base.notes.delete(key)
        return base.put(owner, plant)
      },
    ),
    'concurrent creates of identical plants share one result': onCreate((base, owner, plant) =>
      share(base, JSON.stringify([owner, String(plant.id), plant.name, plant.tag]), () =>
        base.create(owner, plant),
      ),
    ),
  },
  'exactly one of many concurrent deletes': {
    'delete looks, waits, then removes': onDelete((base, owner, id) =>
      base.get(owner, id) ? tick().then(() => base.delete(owner, id) || true) : false,
    ),
    'delete returns false before the other delete has removed the plant': onDelete(
      async (base, owner, id) => {
        const key = `${id} ${owner}`
        if (base.notes.has(key) || !base.get(owner, id)) return false
        base.notes.set(key, 'reserved')
        await tick()
        await tick()
        base.notes.delete(key)
        return base.delete(owner, id)
      },
    ),
  },
  'concurrent calls for different plants': {
    'create writes back all plants of the owner': onCreate(async (base, owner, plant) => {
      const plants = new Map(base.owners.get(owner))
      if (plants.has(plant.id)) return false
      await tick()
      base.owners.set(owner, plants.set(plant.id, { ...plant }))
      return true
    }),
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
    'create stores the tag after the name': onCreate(async (base, owner, { id, name, tag }) => {
      if (!base.create(owner, { id, name })) return false
      await tick()
      const plant = base.get(owner, id)
      if (plant) Reflect.set(plant, 'tag', tag)
      return true
    }),
    'delete removes the tag before the name': onDelete(async (base, owner, id) => {
      const plant = base.get(owner, id)
      if (!plant) return false
      Reflect.set(plant, 'tag', undefined)
      await tick()
      return base.delete(owner, id)
    }),
    'delete returns what it found before it waited': onDelete(async (base, owner, id) => {
      const found = base.get(owner, id) !== undefined
      await tick()
      base.delete(owner, id)
      return found
    }),
  },
  'pages read during other creates and deletes': {
    'list reads ids, then the plants that still exist': onList(async (base, owner, query) => {
      const ids = base.list(owner, query).map(({ id }) => id)
      await tick()
      return ids.flatMap((id) => base.get(owner, id) ?? []).map(correct.read)
    }),
  },
  'concurrent lists each return the requested page': {
    'concurrent lists of an owner share one result': onList((base, owner, query) =>
      share(base, owner, () => base.list(owner, query)),
    ),
    'concurrent lists all use the last query': onList(async (base, owner, query) => {
      base.notes.set('last', query)
      await tick()
      return base.list(owner, base.notes.get('last'))
    }),
    'cached pages have ambiguous keys': onList(
      cached(
        ({ calls }) => `${calls.create} ${calls.delete}`,
        (owner, { after, limit }) => `${owner}${after ?? ''} ${limit}`,
      ),
    ),
  },
  'a list is a snapshot': {
    'list combines two reads': onList(async (base, owner, query) => {
      const plants = base.list(owner, query)
      await tick()
      const now = base.all(owner)
      return plants.map((plant, index) => now[index] ?? plant)
    }),
    'list reads 10 plants at a time': onList(tornList(10, tick)),
    'list reads its second half first': onList(async (base, owner, query) => {
      const second = base.list(owner, query).filter(({ id }) => id >= 0n)
      await tick()
      const first = base.list(owner, query).filter(({ id }) => id < 0n)
      return [...first, ...second].slice(0, query.limit)
    }),
  },
  'a list is not torn between two promises': {
    'list awaits each plant': onList(tornList(1, async () => {})),
    'list awaits every fifth plant': onList(tornList(5, async () => {})),
  },
  'a plant stays until it is deleted': {
    'plants live for two seconds': () => {
      const created = new Map<string, number>()
      const isYoung = ({ name }: StoredPlant) => Date.now() - created.get(name)! < 2000
      const base = storageOf({ cut: (plants, { limit }) => plants.filter(isYoung).slice(0, limit) })
      return {
        ...base,
        create(owner, plant) {
          created.set(plant.name, Date.now())
          return base.create(owner, plant)
        },
      }
    },
  },
  '1200 plants of one owner': {
    'a page has at most 1000 plants': deciding({
      cut: (plants, { limit }) => plants.slice(0, Math.min(limit, 1000)),
    }),
    'tags are lost from index 100 on': deciding({
      cut: (plants, { limit }) =>
        plants
          .slice(0, limit)
          .map(({ id, name, tag }, at) => (at < 100 ? { id, name, tag } : { id, name })),
    }),
    'an owner has room for 1400 plants': onCreate((base, owner, plant) => {
      const created = base.create(owner, plant)
      const plants = base.owners.get(owner)!
      if (plants.size > 1400) base.delete(owner, plants.keys().next().value as bigint)
      return created
    }),
    'create looks for duplicates among the first 100 plants': onCreate((base, owner, plant) => {
      const first = base.list(owner, { limit: 100 })
      return !first.some(({ id }) => id === plant.id) && base.put(owner, plant)
    }),
    'delete looks for the plant among the first 100': onDelete(
      (base, owner, id) =>
        [...(base.owners.get(owner)?.keys() ?? [])].slice(0, 100).includes(id) &&
        base.delete(owner, id),
    ),
  },
  'hundreds of owners': {
    'there is room for 350 owners': onCreate((base, owner, plant) => {
      const created = base.create(owner, plant)
      if (base.owners.size > 350) base.owners.delete([...base.owners.keys()][0]!)
      return created
    }),
    ...ownersThat({
      'are hashed to 14 bits': (owner) =>
        String([...owner].reduce((hash, unit) => (hash * 31 + unit.charCodeAt(0)) & 0x3fff, 0)),
    }),
  },
  'what was created and deleted is the same': {
    'nothing is written': fileStorage({ save: () => {}, reads: () => false }),
    'opening empties the file': fileStorage({ toRows: () => [], reads: () => false }),
    'deletes are not written': fileStorage({
      toText: keepingDeleted(),
      reads: () => false,
    }),
    'tags are not written': fileStorage({
      toText: (rows) =>
        JSON.stringify(rows.map(([owner, { id, name }]) => [owner, { id: `${id}`, name }])),
      reads: () => false,
    }),
    'the last line is not read': fileStorage({
      toRows: (text) => parseRows(text).slice(0, -1),
      reads: () => false,
    }),
    'only the first 50 plants are read': fileStorage({
      toRows: (text) => parseRows(text).slice(0, 50),
      reads: () => false,
    }),
    'owners are in lower case in the file': fileStorage({
      toRows: (text) =>
        parseRows(text.toUpperCase().replaceAll(/"(ID|NAME|TAG)"/g, (key) => key.toLowerCase())),
      reads: () => false,
    }),
  },
  'the last calls before close': {
    'changes are written late': fileStorage({
      save: (write, isClosing) => void (isClosing || setTimeout(write, 20)),
      reads: () => false,
    }),
    'close throws': fileStorage({
      close() {
        throw new Error('database is locked')
      },
    }),
  },
  'each of two instances sees': {
    'each instance has a cache of its own': fileStorage({ reads: () => false }),
    'lists are cached': fileStorage({ reads: (method) => method !== 'list' }),
    'changes are written at the end': fileStorage({
      save: (write, isClosing) => void (isClosing && write()),
    }),
  },
  'of concurrent calls of two instances': {
    'creates look in a cache of their own': fileStorage({ reads: (method) => method !== 'create' }),
    'deletes look in a cache of their own': fileStorage({ reads: (method) => method !== 'delete' }),
  },
  'two instances that create and delete': {
    'each instance writes what it had read': fileStorage({ reads: (method) => method === 'list' }),
  },
  'an instance goes on when the other one is closed': {
    'close removes what is shared': fileStorage({
      close(disk) {
        disk.text = '[]'
      },
    }),
  },
}

function deciding(wrong: Partial<Decisions>) {
  return () => storageOf(wrong)
}

function converting(
  method: 'create' | 'list' | 'delete',
  convert: (result: any) => unknown,
): () => PlantStorage {
  return replacing(method, (base, ...args: any[]) => convert((base[method] as any)(...args)))
}

function naming(change: (name: string) => string): () => PlantStorage {
  return deciding({ write: (plant) => ({ ...plant, name: change(plant.name) }) })
}

function ownersThat(changes: Record<string, (owner: string) => string>): Broken {
  return mapEntries(changes, (name, ownerKey) => [[`owners ${name}`, deciding({ ownerKey })]])
}

function namesAndTagsThat(changes: Record<string, (text: string) => string>): Broken {
  return mapEntries(changes, (name, change) => [
    [`names ${name}`, naming(change)],
    [
      `tags ${name}`,
      deciding({ write: (plant) => ({ ...plant, tag: plant.tag && change(plant.tag) }) }),
    ],
  ])
}

function mapEntries<T>(
  values: Record<string, T>,
  map: (name: string, value: T) => [string, () => PlantStorage][],
): Broken {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => map(name, value)))
}

function unique(keyOf: (plant: StoredPlant) => string | undefined): () => PlantStorage {
  return onCreate((base, owner, plant) => {
    const key = keyOf(plant)
    const isTaken = key !== undefined && base.all(owner).some((other) => keyOf(other) === key)
    return !isTaken && base.create(owner, plant)
  })
}

const isAborted = (call?: StorageCall) => call?.signal.aborted === true

function absolute(id: bigint): bigint {
  return id < 0n ? -id : id
}

function padded(id: bigint): string {
  return (id < 0n ? '-' : '0') + String(absolute(id)).padStart(19, '0')
}

function parseRows(text: string): any {
  return JSON.parse(text).map(([owner, plant]: any) => [owner, { ...plant, id: BigInt(plant.id) }])
}

/** Writes what it wrote before, too. */
function keepingDeleted() {
  const rows = new Map<string, unknown>()
  return (now: [string, StoredPlant][]) => {
    for (const [owner, plant] of now) {
      rows.set(`${plant.id} ${owner}`, [owner, { ...plant, id: `${plant.id}` }])
    }
    return JSON.stringify([...rows.values()])
  }
}

/** Makes a storage of one map with text keys, as key-value stores are. */
function keyed(
  separator: string,
  prefix?: (owner: string) => string,
  toKey = (owner: string, id: bigint) => `${owner}${separator}${id}`,
): PlantStorage {
  const rows = new Map<string, StoredPlant & { owner: string }>()
  return {
    create(owner, plant) {
      const key = toKey(owner, plant.id)
      return !rows.has(key) && !!rows.set(key, { ...plant, owner })
    },
    list: (owner, { after, limit }) =>
      [...rows]
        .filter(([key, row]) => (prefix ? key.startsWith(prefix(owner)) : row.owner === owner))
        .map(([, { id, name, tag }]) => ({ id, name, tag }))
        .sort((a, b) => correct.compare(a.id, b.id))
        .filter(({ id }) => correct.isAfter(id, after))
        .slice(0, limit),
    delete: (owner, id) => rows.delete(toKey(owner, id)),
  }
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

function withPageBytes(bytes: number): PlantStorage {
  return storageOf({
    cut(plants, { limit }) {
      let room = bytes
      return plants.slice(0, limit).filter(({ name }, index) => {
        room -= name.length
        return index === 0 || room >= 0
      })
    },
  })
}

/** Makes a `list` that reads so many plants at a time. */
function tornList(size: number, pause: () => Promise<unknown>) {
  return async (base: BaseStorage, owner: string, { after, limit }: PageQuery) => {
    const plants = base.list(owner, { after, limit: Math.min(limit, size) })
    while (plants.length > 0 && plants.length < limit) {
      await pause()
      const next = { after: plants.at(-1)!.id, limit: Math.min(size, limit - plants.length) }
      const more = base.list(owner, next)
      if (more.length === 0) break
      plants.push(...more)
    }
    return plants
  }
}

/** Gives concurrent calls with the same key one result. */
function share<T>({ notes }: BaseStorage, key: string, run: () => T): Promise<T> {
  const finish = () => {
    notes.delete(key)
    return run()
  }
  if (!notes.has(key)) notes.set(key, tick().then(finish))
  return notes.get(key)
}
