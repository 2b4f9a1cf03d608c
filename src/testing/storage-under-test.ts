import type { MaybePromise } from '../lib/promises.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage, StorageCall } from '../plant-storage.ts'
import { inTime } from './in-time.ts'
import { assertKept, ContractViolation, difference, show } from './violation.ts'

/**
 * The tests of one part of the contract: each rule, and the function that tests it. The storage may hold any plants but
 * those that the test creates.
 */
export type ContractTests = Record<
  string,
  (storage: StorageUnderTest, openSecond: () => Promise<StorageUnderTest>) => Promise<void>
>

/** A storage under test. Every method throws `ContractViolation` if a result has the wrong type or order. */
export interface StorageUnderTest {
  /** Without `call`, that of a client that waits. With null, none is passed. */
  create(owner: string, plant: StoredPlant, call?: StorageCall | null): Promise<boolean>
  list(owner: string, query: PageQuery, call?: StorageCall | null): Promise<readonly StoredPlant[]>
  delete(owner: string, id: bigint, call?: StorageCall | null): Promise<boolean>

  /** Creates the plants, one after the other. Each create must return true. */
  mustCreate(owner: string, ...plants: StoredPlant[]): Promise<void>
  /** Tries to create a plant whose id is taken. Create must return false. */
  mustNotCreate(owner: string, plant: StoredPlant): Promise<void>
  /** Lists a page. It must contain exactly the expected plants. */
  mustList(owner: string, query: PageQuery, expected: StoredPlant[]): Promise<void>
  /** Lists all plants of the owner. They must be exactly the expected ones. */
  mustListAll(owner: string, ...expected: StoredPlant[]): Promise<void>
  /** Deletes a plant. Delete must return true. */
  mustDelete(owner: string, id: bigint): Promise<void>
  /** Tries to delete a plant that does not exist. Delete must return false. */
  mustNotDelete(owner: string, id: bigint): Promise<void>

  /** Closes the storage and opens it again, if the user has said how. */
  reopen(): Promise<void>
  /** Whether it can be used. A `reopen` that fails leaves it closed. */
  isOpen(): boolean
  /** Closes the storage, unless it is closed. */
  close(): Promise<void>
}

/** The ids that were passed to `create`, by owner: what a test may have left in the storage. */
export type TriedPlants = Map<string, Set<bigint>>

/** Makes a plant without a tag. */
export function plantOf(id: bigint): StoredPlant {
  return { id, name: `plant ${id}` }
}

// workerd makes no signal while it loads a module.
function waiting(): StorageCall {
  return { signal: new AbortController().signal }
}

/** How long a call may take. The core waits no longer by default, and the client gets 503. */
export interface Patience {
  ms: number
}

export const FULL_PATIENCE_MS = 30_000
/** A storage that has let one call hang gets little more. */
const LITTLE_PATIENCE_MS = 1000

interface Openers {
  /** The name of the function that returns the storage, for messages. */
  readonly opener: string
  open(): MaybePromise<PlantStorage>
  reopen?: (() => MaybePromise<PlantStorage>) | undefined
  readonly patience: Patience
}

/** Opens a storage, and wraps it so that every result is checked. */
export async function openStorage(
  { opener, open, reopen, patience }: Openers,
  tried: TriedPlants,
): Promise<StorageUnderTest> {
  let storage = await open()
  let where = ''
  let isOpen = true
  assertStorage(opener, storage)

  const checked: StorageUnderTest = {
    async create(owner, plant, call = waiting()) {
      noteTried(owner, plant.id)
      const shown = () => where + showCreate(owner, plant)
      const { id, name, tag } = plant
      const result = await attempt(shown, () => storage.create(owner, plant, call ?? undefined))
      const isSame = plant.id === id && plant.name === name && plant.tag === tag
      if (isSame) return toBoolean(shown, result)
      throw new ContractViolation(`${shown()} modified the plant that was passed to it`)
    },

    async list(owner, query, call = waiting()) {
      const shown = () => where + showListCall(owner, query)
      const passed = { ...query }
      const plants = await attempt(shown, () => storage.list(owner, passed, call ?? undefined))
      const isSame = passed.after === query.after && passed.limit === query.limit
      assertKept(isSame, `${shown()} modified the query that was passed to it`)
      const problem = findProblem(plants, query)
      assertKept(!problem, `${shown()} returned ${show(plants)}: ${problem}`)
      return plants
    },

    async delete(owner, id, call = waiting()) {
      const shown = () => where + showDelete(owner, id)
      const result = await attempt(shown, () => storage.delete(owner, id, call ?? undefined))
      return toBoolean(shown, result)
    },

    async mustCreate(owner, ...plants) {
      for (const plant of plants) await createExpecting(true, owner, plant)
    },
    mustNotCreate: (owner, plant) => createExpecting(false, owner, plant),

    async mustList(owner, query, expected) {
      const problem = difference(await checked.list(owner, query), expected)
      assertKept(!problem, `${where}${showListCall(owner, query)} returned ${problem}`)
    },
    mustListAll: (owner, ...expected) =>
      checked.mustList(owner, { limit: expected.length + 1 }, expected),

    mustDelete: (owner, id) => deleteExpecting(true, owner, id),
    mustNotDelete: (owner, id) => deleteExpecting(false, owner, id),

    async reopen() {
      if (!reopen) return
      await checked.close()
      storage = await attempt(
        () => 'After close(), reopen()',
        () => reopen(),
      )
      assertStorage('reopen', storage)
      where = 'After close() and reopen(), '
      isOpen = true
    },
    isOpen: () => isOpen,
    async close() {
      if (!isOpen) return
      isOpen = false
      await attempt(
        () => 'close()',
        () => storage.close?.(),
      )
    },
  }
  return checked

  async function attempt<T>(call: () => string, method: () => MaybePromise<T>): Promise<T> {
    try {
      const result = method()
      if (typeof Object(result).then !== 'function') return result
      const onLate = () => {
        patience.ms = LITTLE_PATIENCE_MS
        return `${call()} did not return`
      }
      return await inTime(patience.ms, onLate, Promise.resolve(result))
    } catch (cause) {
      if (cause instanceof ContractViolation) throw cause
      throw new ContractViolation(`${call()} threw ${show(cause)}`, { cause })
    }
  }

  function noteTried(owner: string, id: bigint): void {
    const ids = tried.get(owner) ?? new Set()
    tried.set(owner, ids.add(id))
  }

  async function createExpecting(isNew: boolean, owner: string, plant: StoredPlant): Promise<void> {
    if ((await checked.create(owner, plant)) === isNew) return
    const call = `${where}${showCreate(owner, plant)} returned ${!isNew}`
    throw new ContractViolation(`${call} although ${showPresence(owner, !isNew)}`)
  }

  async function deleteExpecting(isThere: boolean, owner: string, id: bigint): Promise<void> {
    if ((await checked.delete(owner, id)) === isThere) return
    const call = `${where}${showDelete(owner, id)} returned ${!isThere}`
    throw new ContractViolation(`${call} although ${showPresence(owner, isThere)}`)
  }
}

function assertStorage(opener: string, storage: unknown): void {
  const { create, list, delete: remove } = Object(storage) as Partial<PlantStorage>
  if ([create, list, remove].every((method) => typeof method === 'function')) return
  throw new TypeError(
    `${opener} must return a storage with the methods create, list and delete; got ${show(storage)}`,
  )
}

const showPresence = (owner: string, isThere: boolean) =>
  `${show(owner)} had ${isThere ? 'a' : 'no'} plant with that id`
const showCreate = (owner: string, plant: StoredPlant) => `create(${show(owner)}, ${show(plant)})`
const showListCall = (owner: string, query: PageQuery) => `list(${show(owner)}, ${show(query)})`
const showDelete = (owner: string, id: bigint) => `delete(${show(owner)}, ${show(id)})`

function toBoolean(call: () => string, result: unknown): boolean {
  if (typeof result === 'boolean') return result
  throw new ContractViolation(`${call()} must return true or false, got ${show(result)}`)
}

function findProblem(plants: unknown, { after, limit }: PageQuery): string | undefined {
  if (!Array.isArray(plants)) return 'the result must be an array'
  if (plants.length > limit) return `${plants.length} plants are more than limit`
  let last = after
  for (const plant of plants as (StoredPlant | null | undefined)[]) {
    if (typeof plant !== 'object' || plant === null) {
      return `each plant must be an object, got ${show(plant)}`
    }
    if (typeof plant.id !== 'bigint') return `the id of ${show(plant)} must be a bigint`
    if (typeof plant.name !== 'string') return `the name of ${show(plant)} must be a string`
    if (plant.tag !== undefined && typeof plant.tag !== 'string') {
      return `the tag of ${show(plant)} must be a string or undefined`
    }
    if (last !== undefined && plant.id <= last) {
      return last === after
        ? `the id ${show(plant.id)} must be greater than after`
        : `the id ${show(plant.id)} follows ${show(last)}, but ids must be ascending`
    }
    last = plant.id
  }
  return undefined
}
