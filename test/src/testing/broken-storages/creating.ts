import { type Broken, replacing, storageOf } from './broken.ts'

const shared = storageOf()

export const creating: Broken = {
  'all storages share their plants': () => shared,
  ...replacing('create', {
    'create overwrites and returns true': (base, owner, plant) => base.put(owner, plant),
    'create overwrites and returns false': (base, owner, plant) =>
      base.create(owner, plant) || !base.put(owner, plant),
    'create overwrites the tag and returns false': (base, owner, plant) =>
      base.create(owner, plant) || !Reflect.set(base.get(owner, plant.id)!, 'tag', plant.tag),
    'create adds the tag of a duplicate'(base, owner, plant) {
      if (base.create(owner, plant)) return true
      const stored = base.get(owner, plant.id)!
      return !Reflect.set(stored, 'tag', stored.tag ?? plant.tag)
    },
    'create always returns true': (base, owner, plant) => base.create(owner, plant) || true,
    'create returns true again for an identical plant'(base, owner, plant) {
      const stored = base.get(owner, plant.id)
      const isIdentical = stored && stored.name === plant.name && stored.tag === plant.tag
      return isIdentical || base.create(owner, plant)
    },
    'create throws for a duplicate'(base, owner, plant) {
      if (base.create(owner, plant)) return true
      throw new Error('UNIQUE constraint failed')
    },
    'create stores nothing': () => true,
    'create returns before it stores'(base, owner, plant) {
      if (base.get(owner, plant.id)) return false
      return !!setImmediate(() => base.create(owner, plant))
    },
    'create looks for duplicates among the first 100 plants'(base, owner, plant) {
      const first = base.list(owner, { limit: 100 })
      return !first.some(({ id }) => id === plant.id) && base.put(owner, plant)
    },
    'an undefined tag cannot be bound'(base, owner, plant) {
      if ('tag' in plant && plant.tag === undefined) throw new TypeError('Cannot bind undefined')
      return base.create(owner, plant)
    },
    'names are unique'(base, owner, plant) {
      const stored = base.list(owner, { limit: 10_000 })
      return !stored.some(({ name }) => name === plant.name) && base.create(owner, plant)
    },
    'an owner has room for 1000 plants'(base, owner, plant) {
      const created = base.create(owner, plant)
      const [first, ...others] = base.owners.get(owner)!.keys()
      if (others.length >= 1000) base.delete(owner, first as bigint)
      return created
    },
    'there is room for 100 owners'(base, owner, plant) {
      const created = base.create(owner, plant)
      if (base.owners.size > 100) base.owners.delete([...base.owners.keys()][0]!)
      return created
    },
    'deleted ids stay taken'(base, owner, plant) {
      if (base.notes.has(`${plant.id} ${owner}`)) return false
      base.notes.set(`${plant.id} ${owner}`, 'taken')
      return base.create(owner, plant)
    },
    'create restores the previous plant of the id'(base, owner, plant) {
      const previous = base.notes.get(`${plant.id} ${owner}`) ?? plant
      const created = base.create(owner, previous)
      if (created) base.notes.set(`${plant.id} ${owner}`, { ...previous })
      return created
    },
    'create restores the previous tag of the id'(base, owner, plant) {
      const tag = plant.tag ?? base.notes.get(`${plant.id} ${owner}`)
      if (tag) base.notes.set(`${plant.id} ${owner}`, tag)
      return base.create(owner, { ...plant, tag })
    },
    'an owner whose 100 plants were deleted can create no more'(base, owner, plant) {
      const count = base.owners.get(owner)?.size
      if (count === 0 && base.notes.has(owner)) return true
      if (count === 100) base.notes.set(owner, 'large')
      return base.create(owner, plant)
    },
    'at most 100 plants can be created in descending order'(base, owner, plant) {
      const run = base.notes.get(owner)
      const length = run && plant.id < run.last ? run.length + 1 : 0
      base.notes.set(owner, { last: plant.id, length })
      return length > 100 || base.create(owner, plant)
    },
  }),
}
