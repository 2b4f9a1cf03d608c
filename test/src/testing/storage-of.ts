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

/** The decisions of a storage that keeps its plants in a file of text. */
const correctFile = {
  toJson: ({ id, ...plant }: StoredPlant): object => ({ ...plant, id: `${id}` }),
  /** Called after each change, and at the end. */
  save: (write: () => void, after: Method | 'close'): unknown => after !== 'close' && write(),
  /** Whether each call begins with what is in the file. */
  reads: (_method: Method): boolean => true,
  /** Whether it empties the file. Called with the number of instances that were opened before. */
  clears: (_index: number): boolean => false,
}

/** Makes the functions that open a storage in a file: again, or by two processes. */
export function fileStorage(wrong: Partial<typeof correctFile> = {}) {
  const { toJson, save, reads, clears } = { ...correctFile, ...wrong }
  let text = '[]'
  let count = 0

  function open(): PlantStorage {
    const index = count++
    let base = load()
    function load() {
      const loaded = storageOf()
      for (const { owner, plant } of JSON.parse(text)) {
        loaded.put(owner, { ...plant, id: BigInt(plant.id) })
      }
      return loaded
    }
    function write(): void {
      const rows = [...base.rows.values()]
      text = JSON.stringify(rows.map(({ owner, plant }) => ({ owner, plant: toJson(plant) })))
    }
    const call = (method: Method): any =>
      function call(...args: unknown[]) {
        if (reads(method)) base = load()
        const result = (base[method] as (...args: unknown[]) => unknown)(...args)
        if (method !== 'list' && result) save(write, method)
        return result
      }
    return {
      create: call('create'),
      list: call('list'),
      delete: call('delete'),
      close() {
        save(write, 'close')
        if (clears(index)) text = '[]'
      },
    }
  }
  return { open, reopen: open, openSecond: open }
}
