import type { StoredPlant } from '../../../../src/plant.ts'
import type { PlantStorage } from '../../../../src/plant-storage.ts'
import { type Broken, correct, deciding, replacing, storageOf } from './broken.ts'

export const owners: Broken = {
  ...deciding('ownerKey', {
    'all owners share their plants': () => 'everybody',
    'owners are in lower case': (owner) => owner.toLowerCase(),
    'owners are in upper case': (owner) => owner.toUpperCase(),
    'owners are trimmed': (owner) => owner.trim(),
    'owners are padded': (owner) => owner.replace(/ +$/, ''),
    'owners are in NFC': (owner) => owner.normalize('NFC'),
    'owners are in NFD': (owner) => owner.normalize('NFD'),
    'owners are in NFKC': (owner) => owner.normalize('NFKC'),
    'owners lose accents': (owner) => owner.normalize('NFD').replace(/\p{M}/gu, ''),
    'owners lose invisible characters': (owner) => owner.replace(/\p{Cf}|\ufe0f/gu, ''),
    'owners are in ASCII': (owner) => owner.replace(/[^ -~]/g, '?'),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are lost.
    'owners lose control characters': (owner) => owner.replace(/[\u0001-\u001f]/g, ''),
    'owners lose characters beyond 16 bits': (owner) =>
      owner.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
    'owners lose quotes': (owner) => owner.replace(/['"`]/g, ''),
    'owners are unescaped': (owner) => owner.replace(/\\(.)/g, '$1'),
    'owners lose the byte order mark': (owner) =>
      new TextDecoder().decode(new TextEncoder().encode(owner)),
    'owners are percent-decoded': (owner) =>
      owner.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number(`0x${code}`))),
    'owners are normalized as paths': (owner) => new URL(`http://a/${encodeURI(owner)}`).pathname,
    'owners are parsed as numbers': (owner) =>
      owner.trim() === '' ? owner : String(+owner || owner),
    'owners are cut after 64 characters': (owner) => owner.slice(0, 64),
    'owners are cut after 255 characters': (owner) => owner.slice(0, 255),
    'owners are cut after 1024 characters': (owner) => owner.slice(0, 1024),
    'owners are cut after 1400 bytes': (owner) => Buffer.from(owner).subarray(0, 1400).toString(),
    'owners are cut to the last 255 characters': (owner) => owner.slice(-255),
    'owners are cut in the middle': (owner) =>
      owner.length < 100 ? owner : `${owner.slice(0, 40)}${owner.length}${owner.slice(-40)}`,
    'owners in katakana and hiragana are equal': (owner) =>
      owner.replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60)),
    'owners lose leading zeros': (owner) => owner.replace(/([a-z])0+(\d)/g, '$1$2'),
    'owners lose form feeds': (owner) => owner.replace(/[\b\v\f]/g, ''),
    'owners are hashed to 32 bits': (owner) =>
      String(
        owner.split('').reduce((hash, unit) => (Math.imul(hash, 31) + unit.charCodeAt(0)) | 0, 0),
      ),
  }),

  'owners are members of an object': () => {
    const object: Record<string, any> = {}
    return storageOf({}, {
      get: (owner: string) => object[owner],
      set: (owner: string, plants: unknown) => (object[owner] = plants),
    } as any)
  },

  ...replacing('list', {
    'owners are patterns'(base, owner, query) {
      const pattern = owner.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*')
      const matching = [...base.owners.keys()].find((key) => new RegExp(`^${pattern}$`).test(key))
      return matching === undefined ? [] : base.list(matching, query)
    },
  }),
  ...replacing('create', {
    'owners longer than 1403 bytes are refused'(base, owner, plant) {
      if (new TextEncoder().encode(owner).length > 1403) throw new Error('Data too long')
      return base.create(owner, plant)
    },
    'ids are unique across owners': (base, owner, plant) =>
      ![...base.owners.values()].some((plants) => plants.has(plant.id)) &&
      base.create(owner, plant),
  }),
  'the key is owner and id without separator': () => keyed(''),
  'the key is owner and id with a dash': () => keyed('-'),
  'list selects by the prefix owner and colon': () => keyed(':', (owner) => `${owner}:`),
  'list selects by the prefix owner and slash': () => keyed('/', (owner) => `${owner}/`),
  'list selects by the prefix owner': () => keyed('\0', (owner) => owner),
}

/** Makes a storage of one map with text keys, as key-value stores are. */
function keyed(separator: string, prefix?: (owner: string) => string): PlantStorage {
  const rows = new Map<string, StoredPlant & { owner: string }>()
  return {
    create(owner, plant) {
      const key = `${owner}${separator}${plant.id}`
      return !rows.has(key) && !!rows.set(key, { ...plant, owner })
    },
    list: (owner, { after, limit }) =>
      [...rows]
        .filter(([key, row]) => (prefix ? key.startsWith(prefix(owner)) : row.owner === owner))
        .map(([, { id, name, tag }]) => ({ id, name, tag }))
        .sort((a, b) => correct.compare(a.id, b.id))
        .filter(({ id }) => correct.isAfter(id, after))
        .slice(0, limit),
    delete: (owner, id) => rows.delete(`${owner}${separator}${id}`),
  }
}
