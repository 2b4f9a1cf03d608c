import type {
  MaybePromise,
  PageQuery,
  PlantStorage,
  StorageCall,
  StoredPlant,
} from '../../index.ts'
import { assertKept, ContractViolation, show } from '../framework.ts'
import { inTime } from '../waiting.ts'
import { difference, isSamePlant, type Model } from './model.ts'

/**
 * The tests of one part of the contract: each rule, and the function that tests it. The storage may hold any plants but
 * those that the test creates.
 */
export type StorageRules = Record<
  string,
  (storage: StorageUnderTest, openSecond: () => Promise<StorageUnderTest>) => Promise<void>
>

/** A storage under test, on which every call is checked. */
export type StorageUnderTest = Awaited<ReturnType<typeof openStorage>>

/** What a run of all tests has learnt of the storage. */
export interface Run {
  /** How long a call may take. The core waits no longer by default, and the client gets 503. */
  patienceMs: number
  /** How many calls that change something or read have returned. */
  returned: number
}

/** A storage one of whose calls has hung gets little more. */
const LITTLE_PATIENCE_MS = 1000

interface Opening {
  /** The name of the function that returns the storage, for messages. */
  readonly opener: string
  readonly open: () => MaybePromise<PlantStorage>
  readonly reopen?: (() => MaybePromise<PlantStorage>) | undefined
  readonly run: Run
  /** What the test's storages must hold. */
  readonly model: Model
}

/** Opens a storage, and wraps it so that every result is checked. */
export async function openStorage({ opener, open, reopen, run, model }: Opening) {
  const opening = Promise.resolve(open())
  let storage = await inTime(run.patienceMs, `${opener}() returned no storage`, opening)
  let where = ''
  let isOpen = true
  assertStorage(opener, storage)

  /** The calls whose results depend on others at the same time: only their types and their order are checked. */
  const unchecked = {
    /** Without `call`, a client waits for the result. With null, no last parameter is passed. */
    async create(owner: string, plant: StoredPlant, call: StorageCall | null = waiting()) {
      const shown = () => showCall('create', owner, plant)
      const given = { ...plant }
      model.note(owner, plant.id)
      const created = await attempt(shown, () => storage.create(owner, plant, call ?? undefined))
      run.returned++
      const isSame = isSamePlant(plant, given)
      assertKept(isSame, () => `${shown()} modified the plant that was passed to it`)
      return toBoolean(shown, created)
    },

    async list(owner: string, query: PageQuery, call: StorageCall | null = waiting()) {
      const shown = () => showCall('list', owner, query)
      const passed = { ...query }
      const plants = await attempt(shown, () => storage.list(owner, passed, call ?? undefined))
      run.returned++
      const isSame = passed.after === query.after && passed.limit === query.limit
      assertKept(isSame, () => `${shown()} modified the query that was passed to it`)
      const problem = findProblem(plants, owner, query, model)
      assertKept(!problem, () => `${shown()} returned ${show(plants)}: ${problem}`)
      return plants
    },

    async delete(owner: string, id: bigint, call: StorageCall | null = waiting()) {
      const shown = () => showCall('delete', owner, id)
      const deleted = await attempt(shown, () => storage.delete(owner, id, call ?? undefined))
      run.returned++
      return toBoolean(shown, deleted)
    },
  }

  return {
    unchecked,

    /** Creates the plants, one after the other. Each result must be right. */
    async create(owner: string, ...plants: StoredPlant[]): Promise<void> {
      for (const plant of plants) {
        const isNew = model.create(owner, plant)
        const created = await unchecked.create(owner, plant)
        const shown = () => `${showCall('create', owner, plant)} returned ${created}`
        assertKept(created === isNew, () => `${shown()} although ${showPresence(owner, !isNew)}`)
      }
    },

    /** Lists a page, which must be right. Default: all plants of the owner. */
    async list(owner: string, query: PageQuery = { limit: model.count(owner) + 1 }) {
      const expected = model.list(owner, query)
      const plants = await unchecked.list(owner, query)
      const problem = difference(plants, expected)
      assertKept(!problem, () => `${showCall('list', owner, query)} returned ${problem}`)
      return plants
    },

    /** Deletes plants, one after the other. Each result must be right. */
    async delete(owner: string, ...ids: bigint[]): Promise<void> {
      for (const id of ids) {
        const isThere = model.delete(owner, id)
        const deleted = await unchecked.delete(owner, id)
        const shown = () => `${showCall('delete', owner, id)} returned ${deleted}`
        assertKept(deleted === isThere, () => `${shown()} although ${showPresence(owner, isThere)}`)
      }
    },

    /** Closes the storage and opens it again, if the user has said how. */
    async reopen(): Promise<void> {
      if (!reopen) return
      await this.close()
      storage = await attempt(() => 'After close(), reopen()', reopen)
      assertStorage('reopen', storage)
      where = 'After close() and reopen(), '
      isOpen = true
    },

    /** Whether it can be used. A `reopen` that fails leaves it closed. */
    isOpen: () => isOpen,

    /** Closes the storage, unless it is closed. */
    async close(): Promise<void> {
      if (!isOpen) return
      isOpen = false
      await attempt(
        () => 'close()',
        () => storage.close?.(),
      )
    },
  }

  /** Makes a call. Without a promise, it costs none: some rules depend on the order of microtasks. */
  async function attempt<T>(shown: () => string, method: () => MaybePromise<T>): Promise<T> {
    const onLate = () => {
      run.patienceMs = LITTLE_PATIENCE_MS
      return `${shown()} did not return`
    }
    try {
      const pending = method()
      const isPromise = typeof Object(pending).then === 'function'
      if (!isPromise) return pending
      return await inTime(run.patienceMs, onLate, Promise.resolve(pending))
    } catch (cause) {
      if (cause instanceof ContractViolation) throw cause
      throw new ContractViolation(`${shown()} threw ${show(cause)}`, { cause })
    }
  }

  function showCall(method: string, owner: string, argument: object | bigint): string {
    return `${where}${method}(${show(owner)}, ${show(argument)})`
  }
}

function assertStorage(opener: string, storage: unknown): void {
  const { create, list, delete: remove } = Object(storage) as Partial<PlantStorage>
  if ([create, list, remove].every((method) => typeof method === 'function')) return
  throw new TypeError(
    `${opener} must return a storage with the methods create, list and delete; got ${show(storage)}`,
  )
}

// workerd makes no signal while it loads a module.
function waiting(): StorageCall {
  return { signal: new AbortController().signal }
}

function showPresence(owner: string, isThere: boolean): string {
  return `${show(owner)} had ${isThere ? 'a' : 'no'} plant with that id`
}

function toBoolean(shown: () => string, result: unknown): boolean {
  if (typeof result === 'boolean') return result
  throw new ContractViolation(`${shown()} must return true or false, got ${show(result)}`)
}

function findProblem(plants: unknown, owner: string, query: PageQuery, model: Model) {
  const { after, limit } = query
  if (!Array.isArray(plants)) return 'the result must be an array'
  const wrongType = plants.map(findWrongType).find((problem) => problem !== undefined)
  if (wrongType) return wrongType
  const foreign = plants.find((plant) => model.ownerOfForeign(owner, plant) !== undefined)
  if (foreign) {
    return `${show(foreign)} is a plant of another owner, ${show(model.ownerOfForeign(owner, foreign))}`
  }
  if (plants.length > limit) return `${plants.length} plants are more than limit`
  let last = after
  for (const { id } of plants as StoredPlant[]) {
    if (last !== undefined && id <= last) {
      return last === after
        ? `the id ${show(id)} must be greater than after`
        : `the id ${show(id)} follows ${show(last)}, but ids must be ascending`
    }
    last = id
  }
  return undefined
}

function findWrongType(plant: StoredPlant | null | undefined): string | undefined {
  if (typeof plant !== 'object' || plant === null) {
    return `each plant must be an object, got ${show(plant)}`
  }
  if (typeof plant.id !== 'bigint') return `the id of ${show(plant)} must be a bigint`
  if (typeof plant.name !== 'string') return `the name of ${show(plant)} must be a string`
  if (plant.tag === undefined || typeof plant.tag === 'string') return undefined
  return `the tag of ${show(plant)} must be a string or undefined`
}
