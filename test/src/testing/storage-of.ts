import type { StoredPlant } from '../../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../../src/plant-storage.ts'

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
  cut: (plants: StoredPlant[], { limit }: PageQuery) => plants.slice(0, limit),
}
export type Decisions = typeof correct

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
    all: (owner: string) => base.list(owner, { limit: 100_000 }),
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

/** Makes a storage that is correct except for one method. */
export function replacing<K extends 'create' | 'list' | 'delete'>(method: K, version: Wrong<K>) {
  return (): PlantStorage => {
    const base = storageOf()
    return { ...base, [method]: version.bind(undefined, base) }
  }
}

type Wrong<K extends 'create' | 'list' | 'delete'> = (
  base: BaseStorage,
  ...args: Parameters<PlantStorage[K]>
) => unknown
export const onCreate = (wrong: Wrong<'create'>) => replacing('create', wrong)
export const onList = (wrong: Wrong<'list'>) => replacing('list', wrong)
export const onDelete = (wrong: Wrong<'delete'>) => replacing('delete', wrong)

/** The decisions of a storage that keeps its plants in a file of text. */
const correctFile = {
  toText: (plants: Row[]): string =>
    JSON.stringify(plants.map(([owner, { id, ...plant }]) => [owner, { ...plant, id: `${id}` }])),
  toRows: (text: string): Row[] =>
    JSON.parse(text).map(([owner, plant]: any) => [owner, { ...plant, id: BigInt(plant.id) }]),
  /** Called after each change, and with `isClosing` at the end. */
  save: (write: () => void, isClosing: boolean): void => void (isClosing || write()),
  /** Whether each call begins with what is in the file. */
  reads: (_method: 'create' | 'list' | 'delete'): boolean => true,
  close: (): void => {},
}
type Row = [owner: string, plant: StoredPlant]

/** Makes the functions that open a storage in a file: again, or by two processes. */
export function fileStorage(wrong: Partial<typeof correctFile> = {}) {
  const { toText, toRows, save, reads, close } = { ...correctFile, ...wrong }
  let text = '[]'

  function open(): PlantStorage {
    let base = load()
    function load() {
      const loaded = storageOf()
      for (const [owner, plant] of toRows(text)) loaded.put(owner, plant)
      return loaded
    }
    function write(): void {
      const rows = [...base.owners].flatMap(([owner, plants]) =>
        [...plants.values()].map((plant): Row => [owner, plant]),
      )
      text = toText(rows)
    }
    const call = <K extends 'create' | 'list' | 'delete'>(method: K): any =>
      function call(...args: Parameters<PlantStorage[K]>) {
        if (reads(method)) base = load()
        const result = (base[method] as (...args: unknown[]) => unknown)(...args)
        if (method !== 'list' && result) save(write, false)
        return result
      }
    return {
      create: call('create'),
      list: call('list'),
      delete: call('delete'),
      close() {
        save(write, true)
        close()
      },
    }
  }
  return { open, reopen: open, openSecond: open }
}
