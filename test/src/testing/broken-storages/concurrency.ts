import { type BaseStorage, type Broken, correct, replacing } from './broken.ts'

export const concurrency: Broken = {
  ...replacing('create', {
    'create looks, waits, then stores': (base, owner, plant) =>
      !base.get(owner, plant.id) && tick().then(() => base.put(owner, plant)),
    async 'create writes back all plants of the owner'(base, owner, plant) {
      const plants = new Map(base.owners.get(owner))
      if (plants.has(plant.id)) return false
      await tick()
      base.owners.set(owner, plants.set(plant.id, { ...plant }))
      return true
    },
    async 'the first create returns true, the last one is stored'(base, owner, plant) {
      const key = `${plant.id} ${owner}`
      const isFirst = !base.notes.has(key)
      base.notes.set(key, 'pending')
      await tick()
      const created = isFirst ? base.create(owner, plant) : !base.put(owner, plant)
      base.notes.delete(key)
      return created
    },
    async 'create returns false before the other plant is stored'(base, owner, plant) {
      const key = `${plant.id} ${owner}`
      if (base.notes.has(key) || base.get(owner, plant.id)) return false
      base.notes.set(key, 'reserved')
      await tick()
      await tick()
      base.notes.delete(key)
      return base.put(owner, plant)
    },
    'concurrent creates of identical plants share one result': (base, owner, plant) =>
      share(base, JSON.stringify([owner, String(plant.id), plant.name, plant.tag]), () =>
        base.create(owner, plant),
      ),
    async 'of many concurrent creates, only 100 are stored'(base, owner, plant) {
      const pending = base.notes.get('pending') ?? 0
      if (pending === 100) return true
      base.notes.set('pending', pending + 1)
      await tick()
      base.notes.set('pending', base.notes.get('pending') - 1)
      return base.create(owner, plant)
    },
    async 'a batch of concurrent creates stores its first 100 plants'(base, owner, plant) {
      const batch: Set<string> = base.notes.get('batch') ?? new Set()
      base.notes.set('batch', batch.add(`${plant.id} ${owner}`))
      const isDropped = batch.size > 100
      await tick()
      base.notes.delete('batch')
      return isDropped ? true : base.create(owner, plant)
    },
    async 'create stores the tag after the name'(base, owner, { id, name, tag }) {
      if (!base.create(owner, { id, name })) return false
      await tick()
      const plant = base.get(owner, id)
      if (plant) Reflect.set(plant, 'tag', tag)
      return true
    },
  }),

  ...replacing('delete', {
    'delete looks, waits, then removes': (base, owner, id) =>
      base.get(owner, id) ? tick().then(() => base.delete(owner, id) || true) : false,
    async 'delete returns what it found before it waited'(base, owner, id) {
      const found = base.get(owner, id) !== undefined
      await tick()
      base.delete(owner, id)
      return found
    },
    async 'delete returns false before the other delete has removed the plant'(base, owner, id) {
      const key = `${id} ${owner}`
      if (base.notes.has(key) || !base.get(owner, id)) return false
      base.notes.set(key, 'reserved')
      await tick()
      await tick()
      base.notes.delete(key)
      return base.delete(owner, id)
    },
    async 'delete removes the tag before the name'(base, owner, id) {
      const plant = base.get(owner, id)
      if (!plant) return false
      Reflect.set(plant, 'tag', undefined)
      await tick()
      return base.delete(owner, id)
    },
  }),

  ...replacing('list', {
    'concurrent lists of an owner share one result': (base, owner, query) =>
      share(base, owner, () => base.list(owner, query)),
    async 'concurrent lists all use the last query'(base, owner, query) {
      base.notes.set('last', query)
      await tick()
      return base.list(owner, base.notes.get('last'))
    },
    async 'list combines two reads'(base, owner, query) {
      const plants = base.list(owner, query)
      await tick()
      const now = base.list(owner, { limit: 10_000 })
      return plants.map((plant, index) => now[index] ?? plant)
    },
    async 'list reads ids, then the plants that still exist'(base, owner, query) {
      const ids = base.list(owner, query).map(({ id }) => id)
      await tick()
      return ids.flatMap((id) => base.get(owner, id) ?? []).map(correct.read)
    },
    async 'list reads 10 plants at a time'(base, owner, { after, limit }) {
      const plants = base.list(owner, { after, limit: Math.min(limit, 10) })
      while (plants.length % 10 === 0 && plants.length > 0 && plants.length < limit) {
        await tick()
        const size = Math.min(10, limit - plants.length)
        const more = base.list(owner, { after: plants.at(-1)!.id, limit: size })
        if (more.length === 0) break
        plants.push(...more)
      }
      return plants
    },
    async 'list reads its second half first'(base, owner, query) {
      const second = base.list(owner, query).filter(({ id }) => id >= 0n)
      await tick()
      const first = base.list(owner, query).filter(({ id }) => id < 0n)
      return [...first, ...second].slice(0, query.limit)
    },
  }),
}

/** Waits until all promises that are ready have been handled. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
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
