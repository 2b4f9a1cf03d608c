import type { PageQuery, PlantStorage, StorageCall, StoredPlant } from '../../index.ts'
import { assertMethods } from '../../lib/arguments.ts'
import { isPromiseLike, type MaybePromise } from '../../lib/promises.ts'
import { assertKept, ContractViolation, show } from '../framework.ts'
import { inTime } from '../waiting.ts'
import { difference, type Model } from './model.ts'

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

type Method = 'create' | 'list' | 'delete'
type Argument = StoredPlant | PageQuery | bigint

/** A storage one of whose calls has hung gets little more. */
const LITTLE_PATIENCE_MS = 1000

/** A function of the user that returns a storage. */
export type Open = () => MaybePromise<PlantStorage>

/**
 * Opens a storage, and wraps it so that every result is checked.
 *
 * @param model what the test's storages must hold
 * @param name the name of `open`, for messages
 */
export async function openStorage(run: Run, model: Model, name: string, open: Open, reopen?: Open) {
  const opening = Promise.resolve(open())
  let storage = await inTime(run.patienceMs, `${name}() returned no storage`, opening)
  let where = ''
  let isOpen = true
  assertStorage(name, storage)

  /** The calls whose results depend on others at the same time: only their types and their order are checked. */
  const unchecked = {
    create(owner: string, plant: StoredPlant, call?: StorageCall): Promise<boolean> {
      model.note(owner, plant.id)
      return callMethod('create', owner, plant, call)
    },
    list: (owner: string, query: PageQuery, call?: StorageCall): Promise<StoredPlant[]> =>
      callMethod('list', owner, query, call),
    delete: (owner: string, id: bigint, call?: StorageCall): Promise<boolean> =>
      callMethod('delete', owner, id, call),
  }

  return {
    unchecked,

    /** Creates the plants, one after the other. Each result must be right. */
    async create(owner: string, ...plants: StoredPlant[]): Promise<void> {
      for (const plant of plants) {
        const isNew = model.create(owner, plant)
        const created = await unchecked.create(owner, plant)
        assertKept(created === isNew, () => showWrong('create', owner, plant, created))
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
        assertKept(deleted === isThere, () => showWrong('delete', owner, id, deleted))
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

  async function callMethod(method: Method, owner: string, argument: Argument, call?: StorageCall) {
    const shown = () => showCall(method, owner, argument)
    const passed = show(argument)
    // The last parameter is optional: every other call has none.
    const { signal } = new AbortController()
    const last = call ?? (run.returned % 2 === 0 ? undefined : { signal })
    const methods = storage as Record<Method, (...values: unknown[]) => any>
    const result = await attempt(shown, () => methods[method](owner, argument, last))
    run.returned++
    const isSame = show(argument) === passed
    assertKept(isSame, () => `${shown()} modified the object that was passed to it`)
    const problem = findProblem(result, argument)
    assertKept(!problem, () => `${shown()} returned ${show(result)}: ${problem}`)
    return result
  }

  /** Makes a call. Without a promise, it costs none: some rules depend on the order of microtasks. */
  async function attempt<T>(shown: () => string, method: () => MaybePromise<T>): Promise<T> {
    const onLate = () => {
      run.patienceMs = LITTLE_PATIENCE_MS
      return `${shown()} did not return`
    }
    try {
      const pending = method()
      if (!isPromiseLike(pending)) return pending
      return await inTime(run.patienceMs, onLate, pending)
    } catch (cause) {
      if (cause instanceof ContractViolation) throw cause
      throw new ContractViolation(`${shown()} threw ${show(cause)}`, { cause })
    }
  }

  function showCall(method: Method, owner: string, argument: Argument): string {
    return `${where}${method}(${show(owner)}, ${show(argument)})`
  }

  function showWrong(method: Method, owner: string, argument: Argument, result: boolean) {
    const had = (method === 'create') === result ? 'a' : 'no'
    const call = showCall(method, owner, argument)
    return `${call} returned ${result} although ${show(owner)} had ${had} plant with that id`
  }
}

function assertStorage(name: string, storage: unknown): void {
  const expectation = `${name} must return a storage with the methods create, list and delete`
  assertMethods(expectation, storage, ['create', 'list', 'delete'])
}

function findProblem(result: unknown, argument: Argument): string | undefined {
  if (typeof argument === 'bigint' || 'id' in argument) {
    return typeof result === 'boolean' ? undefined : 'the result must be true or false'
  }
  if (!Array.isArray(result)) return 'the result must be an array'
  const { after, limit } = argument
  const wrongType = result.map(findWrongType).find((problem) => problem !== undefined)
  if (wrongType) return wrongType
  if (result.length > limit) return `${result.length} plants are more than limit`
  const ids = result.map(({ id }: StoredPlant) => id)
  const wrong = ids.findIndex((id, index) => id <= (ids[index - 1] ?? after ?? -Infinity))
  if (wrong < 0) return undefined
  return `ids must be ascending, and greater than after; got ${show(ids[wrong])} at index ${wrong}`
}

function findWrongType(plant: unknown): string | undefined {
  const { id, name, tag } = Object(plant)
  if (typeof id !== 'bigint') return `the id of ${show(plant)} must be a bigint`
  if (typeof name !== 'string') return `the name of ${show(plant)} must be a string`
  if (tag === undefined || typeof tag === 'string') return undefined
  return `the tag of ${show(plant)} must be a string or undefined`
}
