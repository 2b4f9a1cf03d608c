import { type Broken, replacing } from './broken.ts'

export const deleting: Broken = replacing('delete', {
  'delete always returns true': (base, owner, id) => base.delete(owner, id) || true,
  'delete returns true again for a deleted plant': ({ notes, ...base }, owner, id) =>
    notes.has(`${id} ${owner}`) ||
    (base.delete(owner, id) && !!notes.set(`${id} ${owner}`, 'gone')),
  'delete always returns false': (base, owner, id) => base.delete(owner, id) && false,
  'delete removes nothing': (base, owner, id) => !!base.get(owner, id),
  'delete removes all plants of the owner'(base, owner, id) {
    const deleted = base.delete(owner, id)
    if (deleted) base.owners.delete(owner)
    return deleted
  },
  'delete removes the id from all owners'(base, owner, id) {
    const deleted = base.delete(owner, id)
    for (const plants of base.owners.values()) plants.delete(id)
    return deleted
  },
  'delete removes all ids with the same prefix'(base, owner, id) {
    const deleted = base.delete(owner, id)
    for (const other of base.list(owner, { limit: 10_000 })) {
      if (String(other.id).startsWith(String(id))) base.delete(owner, other.id)
    }
    return deleted
  },
  'delete removes all plants with the same name and tag'(base, owner, id) {
    const plant = base.get(owner, id)
    if (!plant) return false
    for (const other of base.list(owner, { limit: 10_000 })) {
      if (other.name === plant.name && other.tag === plant.tag) base.delete(owner, other.id)
    }
    return true
  },
  'delete falls back on the first owner if the owner has no plants'(base, owner, id) {
    const [first = owner] = base.owners.keys()
    return base.delete(base.owners.get(owner)?.size ? owner : first, id)
  },
  'delete removes the next id if there is no such plant': (base, owner, id) =>
    base.delete(owner, id) || base.delete(owner, id + 1n),
  'delete throws if there is no such plant'(base, owner, id) {
    if (base.delete(owner, id)) return true
    throw new Error('not found')
  },
  'delete looks for the plant among the first 100': (base, owner, id) =>
    base.list(owner, { limit: 100 }).some((plant) => plant.id === id) && base.delete(owner, id),
  'delete returns before it removes'(base, owner, id) {
    setImmediate(() => base.delete(owner, id))
    return !!base.get(owner, id)
  },
})
