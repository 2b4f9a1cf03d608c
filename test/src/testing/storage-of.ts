import type { StoredPlant } from '../../../src/plant.ts'
import type { PageQuery, PlantStorage } from '../../../src/plant-storage.ts'

type Method = 'create' | 'list' | 'delete'
interface Row {
  owner: string
  plant: StoredPlant
}

/** The decisions that a storage makes. A broken storage makes one of them wrong. */
export const correct = {
  ownerKey: (owner: string): string => owner,
  key: (owner: string, id: bigint): string => `${id} ${owner}`,
  isOf: (stored: string, owner: string): boolean => stored === owner,
  write: (plant: StoredPlant): StoredPlant => ({ ...plant }),
  read: (plant: StoredPlant): unknown => ({ ...plant }),
  compare: (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0),
  isAfter: (id: bigint, after?: bigint): boolean => after === undefined || id > after,
  cut: (plants: StoredPlant[], { limit }: PageQuery) => plants.slice(0, limit),
}
export type Decisions = typeof correct

/** Makes a storage that is correct except for the given decisions. */
export function storageOf(wrong: Partial<Decisions> = {}) {
  const decide = { ...correct, ...wrong }
  const rows = new Map<string, Row>()
  const keyOf = (owner: string, id: bigint) => decide.key(decide.ownerKey(owner), id)

  const base = {
    rows,
    /** For what a broken storage remembers beside its plants. */
    notes: new Map<string, any>(),
    get: (owner: string, id: bigint) => rows.get(keyOf(owner, id))?.plant,
    /** Stores the plant, whether or not its id is taken. */
    put: (owner: string, plant: StoredPlant): boolean =>
      !!rows.set(keyOf(owner, plant.id), {
        owner: decide.ownerKey(owner),
        plant: decide.write(plant),
      }),
    create: (owner: string, plant: StoredPlant): boolean =>
      !base.get(owner, plant.id) && base.put(owner, plant),
    list(owner: string, query: PageQuery): StoredPlant[] {
      const key = decide.ownerKey(owner)
      const plants = [...rows.values()]
        .filter((row) => decide.isOf(row.owner, key) && decide.isAfter(row.plant.id, query.after))
        .map(({ plant }) => plant)
        .sort((a, b) => decide.compare(a.id, b.id))
      return decide.cut(plants, query).map(decide.read) as StoredPlant[]
    },
    delete: (owner: string, id: bigint): boolean => rows.delete(keyOf(owner, id)),
  }
  return base
}
export type BaseStorage = ReturnType<typeof storageOf>

type Wrong<K extends Method> = (base: BaseStorage, ...args: Parameters<PlantStorage[K]>) => unknown

/** Makes a storage that is correct except for one method. */
function replacing<K extends Method>(method: K) {
  return (version: Wrong<K>) => (): PlantStorage => {
    const base = storageOf()
    return { ...base, [method]: version.bind(undefined, base) }
  }
}
export const onCreate = replacing('create')
export const onList = replacing('list')
export const onDelete = replacing('delete')

/** The decisions of a storage whose instances have a copy of the same plants each, as of a file. */
const correctCopy = {
  /** The plant that is read for one that was written. */
  load: (plant: StoredPlant): StoredPlant => plant,
  /** Called after each change. */
  save: (write: () => void, _method: Method): unknown => write(),
  /** Whether a call begins with reading the plants. */
  reads: (_method: Method): boolean => true,
  /** Whether close() removes the plants. Called with the number of instances that were opened before. */
  clears: (_index: number): boolean => false,
}

/** Makes the functions that open a storage on the same plants: again, or by two processes. */
export function fileStorage(wrong: Partial<typeof correctCopy> = {}) {
  const { load, save, reads, clears } = { ...correctCopy, ...wrong }
  let file: Row[] = []
  let count = 0

  function open(): PlantStorage {
    const index = count++
    const { rows, ...base } = storageOf()
    function read(): void {
      rows.clear()
      for (const { owner, plant } of file) base.put(owner, load(plant))
    }
    function write(): void {
      file = [...rows.values()]
    }
    const call =
      (method: Method): any =>
      (...args: unknown[]) => {
        if (reads(method)) read()
        const result = (base[method] as (...args: unknown[]) => unknown)(...args)
        if (method !== 'list' && result) save(write, method)
        return result
      }
    read()
    return {
      create: call('create'),
      list: call('list'),
      delete: call('delete'),
      close() {
        if (clears(index)) file = []
      },
    }
  }
  return { open, reopen: open, openSecond: open }
}
