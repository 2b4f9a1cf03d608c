import type { StoredPlant } from '../../../../src/plant.ts'
import { type Broken, deciding, mapValues, prefixed, replacing, storageOf } from './broken.ts'

const notBooleans: Record<string, (done: boolean) => unknown> = {
  undefined: () => undefined,
  null: () => null,
  '0 or 1': Number,
  'the text true or false': String,
  'the number of changes': (done) => ({ changes: Number(done) }),
  'a promise of undefined': async () => undefined,
}

const notArrays: Record<string, (plants: StoredPlant[]) => unknown> = {
  undefined: () => undefined,
  null: () => null,
  'an iterator': (plants) => plants.values(),
  'an object with rows': (rows) => ({ rows }),
  'undefined instead of an empty array': (plants) => (plants.length > 0 ? plants : undefined),
}

/** Results of the wrong type, and results that share objects with the storage. */
export const results: Broken = {
  ...converting('create', notBooleans),
  ...converting('delete', notBooleans),
  ...converting('list', notArrays),
  ...deciding('read', {
    'list returns plants without id': ({ name, tag }) => ({ name, tag }),
    'list returns plants without name': ({ id, tag }) => ({ id, tag }),
    'list returns null instead of plants': () => null,
    'list returns undefined instead of plants': () => undefined,
    'list returns ids as numbers': (plant) => ({ ...plant, id: Number(plant.id) }),
    'list returns ids counted from one': (plant) => ({ ...plant, id: plant.id + 1n }),
    'list returns ids as text': (plant) => ({ ...plant, id: String(plant.id) }),
    'list returns digits in names as numbers': (plant) => ({
      ...plant,
      name: /^[1-9]$/.test(plant.name) ? Number(plant.name) : plant.name,
    }),
    'list returns missing tags as null': (plant) => ({ ...plant, tag: plant.tag ?? null }),
    'list returns the stored objects': (plant) => plant,
  }),
  ...deciding('write', { 'create keeps the object passed in': (plant) => plant }),
  ...replacing('create', {
    'create modifies the object passed in'(base, owner, plant) {
      if (plant.tag === undefined) Reflect.set(plant, 'tag', '')
      return base.create(owner, plant)
    },
  }),
  ...replacing('list', {
    'list returns the stored array'({ list, calls, notes }, owner, { after, limit }) {
      const key = `${calls.create} ${calls.delete} ${owner}`
      if (!notes.has(key)) notes.set(key, list(owner, { limit: 10_000 }).map(Object.freeze))
      const plants = notes.get(key)
      const isWhole = after === undefined && plants.length <= limit
      return isWhole ? plants : list(owner, { after, limit })
    },
  }),
}

function converting(
  method: 'create' | 'list' | 'delete',
  conversions: Record<string, (result: any) => unknown>,
): Broken {
  const broken = mapValues(conversions, (convert) => () => {
    const base = storageOf()
    const call = base[method].bind(base) as (...args: unknown[]) => unknown
    return { ...base, [method]: (...args: unknown[]) => convert(call(...args)) }
  })
  return prefixed(`${method} returns `, broken)
}
