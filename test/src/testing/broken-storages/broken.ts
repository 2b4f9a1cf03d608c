import type { StoredPlant } from '../../../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../../../src/plant-storage.ts'

/** Broken storages by name. Each call makes a new one. */
export type Broken = Record<string, () => PlantStorage>

type Owners = Map<string, Map<unknown, StoredPlant>>

/** The decisions that a storage makes. A broken storage makes one of them wrong. */
export const correct = {
  ownerKey: (owner: string): string => owner,
  idKey: (id: bigint): unknown => id,
  write: (plant: StoredPlant): StoredPlant => ({ ...plant }),
  read: (plant: StoredPlant): unknown => ({ ...plant }),
  compare: (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0),
  isAfter: (id: bigint, after?: bigint): boolean => after === undefined || id > after,
  toAfter: (after: bigint): bigint => after,
  cut: (plants: StoredPlant[], { limit }: PageQuery) => plants.filter((_, index) => index < limit),
}
type Decisions = typeof correct

/** Makes a storage that is correct except for the given decisions. */
export function storageOf(wrong: Partial<Decisions> = {}, owners: Owners = new Map()) {
  const { ownerKey, idKey, write, read, compare, isAfter, toAfter, cut } = { ...correct, ...wrong }

  function plantsOf(owner: string): Map<unknown, StoredPlant> {
    const key = ownerKey(owner)
    const plants = owners.get(key) ?? new Map<unknown, StoredPlant>()
    owners.set(key, plants)
    return plants
  }
  const base = {
    owners,
    get: (owner: string, id: bigint) => plantsOf(owner).get(idKey(id)),
    /** Stores the plant, whether or not its id is taken. */
    put: (owner: string, plant: StoredPlant) =>
      plantsOf(owner).set(idKey(plant.id), write(plant)).size > 0,
    create(owner: string, plant: StoredPlant): boolean {
      base.calls.create++
      return !base.get(owner, plant.id) && base.put(owner, plant)
    },
    list(owner: string, query: PageQuery): StoredPlant[] {
      const plants = [...plantsOf(owner).values()].sort((a, b) => compare(a.id, b.id))
      const after = query.after === undefined ? undefined : toAfter(query.after)
      const rest = plants.filter(({ id }) => isAfter(id, after))
      return cut(rest, query).map(read) as StoredPlant[]
    },
    delete(owner: string, id: bigint): boolean {
      base.calls.delete++
      return plantsOf(owner).delete(idKey(id))
    },
    calls: { create: 0, delete: 0 },
    /** For what a broken storage remembers beside its plants. */
    notes: new Map<string, any>(),
  }
  return base
}
export type BaseStorage = ReturnType<typeof storageOf>

/** Makes a broken storage of each wrong version of one decision. */
export function deciding<K extends keyof Decisions>(
  decision: K,
  versions: Record<string, Decisions[K]>,
): Broken {
  return mapValues(versions, (version) => () => storageOf({ [decision]: version }))
}

/** Makes a broken storage of each wrong version of one method. */
export function replacing<K extends 'create' | 'list' | 'delete'>(
  method: K,
  versions: Record<string, (base: BaseStorage, ...args: Parameters<PlantStorage[K]>) => unknown>,
): Broken {
  return mapValues(versions, (version) => () => {
    const base = storageOf()
    return { ...base, [method]: version.bind(undefined, base) }
  })
}

export function mapValues<T, U>(
  values: Record<string, T>,
  map: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
}

export function prefixed<T>(prefix: string, values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]))
}
