import type { MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import { assertKept, ContractViolation, difference, show } from './violation.ts'

/** The tests of one part of the contract: each rule, and the function that tests it on an empty storage. */
export type ContractTests = Record<string, (storage: StorageUnderTest) => Promise<void>>

/** A storage under test. Every method throws `ContractViolation` if a result has the wrong type or order. */
export interface StorageUnderTest {
  /** Every owner passed to create or list so far. */
  readonly owners: ReadonlySet<string>

  create(owner: string, plant: StoredPlant): Promise<boolean>
  list(owner: string, query: PageQuery): Promise<readonly StoredPlant[]>
  delete(owner: string, id: bigint): Promise<boolean>

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
}

/** Makes a plant without a tag. */
export function plantOf(id: bigint): StoredPlant {
  return { id, name: `plant ${id}` }
}

/** Wraps a storage so that every result is checked. */
export function wrapStorage(storage: PlantStorage): StorageUnderTest {
  const owners = new Set<string>()
  const checked: StorageUnderTest = {
    owners,

    async create(owner, plant) {
      owners.add(owner)
      const call = () => showCreate(owner, plant)
      const { id, name, tag } = plant
      const result = await attempt(call, () => storage.create(owner, plant))
      const isSame = plant.id === id && plant.name === name && plant.tag === tag
      if (isSame) return toBoolean(call, result)
      throw new ContractViolation(`${call()} modified the plant that was passed to it`)
    },

    async list(owner, query) {
      owners.add(owner)
      const call = () => showListCall(owner, query)
      const plants = await attempt(call, () => storage.list(owner, query))
      const problem = findProblem(plants, query)
      assertKept(!problem, `${call()} returned ${show(plants)}: ${problem}`)
      return plants
    },

    async delete(owner, id) {
      const call = () => showDelete(owner, id)
      return toBoolean(call, await attempt(call, () => storage.delete(owner, id)))
    },

    async mustCreate(owner, ...plants) {
      for (const plant of plants) await createExpecting(true, owner, plant)
    },
    mustNotCreate: (owner, plant) => createExpecting(false, owner, plant),

    async mustList(owner, query, expected) {
      const problem = difference(await checked.list(owner, query), expected)
      assertKept(!problem, `${showListCall(owner, query)} returned ${problem}`)
    },
    mustListAll: (owner, ...expected) =>
      checked.mustList(owner, { limit: expected.length + 1 }, expected),

    mustDelete: (owner, id) => deleteExpecting(true, owner, id),
    mustNotDelete: (owner, id) => deleteExpecting(false, owner, id),
  }
  return checked

  async function createExpecting(isNew: boolean, owner: string, plant: StoredPlant): Promise<void> {
    if ((await checked.create(owner, plant)) === isNew) return
    const call = `${showCreate(owner, plant)} returned ${!isNew}`
    throw new ContractViolation(`${call} although ${showPresence(owner, !isNew)}`)
  }

  async function deleteExpecting(isThere: boolean, owner: string, id: bigint): Promise<void> {
    if ((await checked.delete(owner, id)) === isThere) return
    const call = `${showDelete(owner, id)} returned ${!isThere}`
    throw new ContractViolation(`${call} although ${showPresence(owner, isThere)}`)
  }
}

const showPresence = (owner: string, isThere: boolean) =>
  `${show(owner)} had ${isThere ? 'a' : 'no'} plant with that id`
const showCreate = (owner: string, plant: StoredPlant) => `create(${show(owner)}, ${show(plant)})`
const showListCall = (owner: string, query: PageQuery) => `list(${show(owner)}, ${show(query)})`
const showDelete = (owner: string, id: bigint) => `delete(${show(owner)}, ${show(id)})`

async function attempt<T>(call: () => string, method: () => MaybePromise<T>): Promise<T> {
  try {
    return await method()
  } catch (cause) {
    throw new ContractViolation(`${call()} threw ${show(cause)}`, { cause })
  }
}

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
