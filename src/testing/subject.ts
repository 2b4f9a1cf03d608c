import type { MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery, PlantStorage } from '../plant-storage.ts'
import { ContractViolation, difference, show } from './violation.ts'

/** A storage under test. What every answer must be, whatever the test, is checked on every answer. */
export interface Subject {
  create(owner: string, plant: StoredPlant): Promise<boolean>
  list(owner: string, page: PageQuery): Promise<readonly StoredPlant[]>
  delete(owner: string, id: bigint): Promise<boolean>

  /** Creates each of the plants, which must be new. */
  creates(owner: string, ...plants: StoredPlant[]): Promise<void>
  /** Creates a plant, which must be refused. */
  refuses(owner: string, plant: StoredPlant): Promise<void>
  /** Lists a page, which must have these plants. */
  lists(owner: string, page: PageQuery, due: StoredPlant[]): Promise<void>
  /** Lists all plants, which must be these. */
  holds(owner: string, ...due: StoredPlant[]): Promise<void>
  /** Deletes a plant, which must have been there. */
  deletes(owner: string, id: bigint): Promise<void>
  /** Deletes a plant, which must not have been there. */
  misses(owner: string, id: bigint): Promise<void>
}

/** Puts a storage under test. */
export function toSubject(storage: PlantStorage): Subject {
  const subject: Subject = {
    async create(owner, plant) {
      const call = () => `create(${show(owner)}, ${show(plant)})`
      const { id, name, tag } = plant
      const answer = await ask(call, () => storage.create(owner, plant))
      if (plant.id !== id || plant.name !== name || plant.tag !== tag) {
        throw new ContractViolation(`${call()} changed the plant that it was given`)
      }
      return answerOf(call, answer)
    },

    async list(owner, page) {
      const call = () => `list(${show(owner)}, ${show(page)})`
      const plants = await ask(call, () => storage.list(owner, page))
      const problem = problemOfPage(plants, page)
      if (problem) throw new ContractViolation(`${call()} answered ${show(plants)}: ${problem}`)
      return plants
    },

    async delete(owner, id) {
      const call = () => `delete(${show(owner)}, ${show(id)})`
      return answerOf(call, await ask(call, () => storage.delete(owner, id)))
    },

    async creates(owner, ...plants) {
      for (const plant of plants) {
        if (await subject.create(owner, plant)) continue
        throw new ContractViolation(
          `create(${show(owner)}, ${show(plant)}) answered false, although ${show(owner)} had no plant with that id`,
        )
      }
    },

    async refuses(owner, plant) {
      if (!(await subject.create(owner, plant))) return
      throw new ContractViolation(
        `create(${show(owner)}, ${show(plant)}) answered true, although ${show(owner)} had a plant with that id`,
      )
    },

    async lists(owner, page, due) {
      const problem = difference(await subject.list(owner, page), due)
      if (problem) {
        throw new ContractViolation(`list(${show(owner)}, ${show(page)}) answered ${problem}`)
      }
    },

    holds: (owner, ...due) => subject.lists(owner, { limit: due.length + 1 }, due),

    async deletes(owner, id) {
      if (await subject.delete(owner, id)) return
      throw new ContractViolation(
        `delete(${show(owner)}, ${show(id)}) answered false, although ${show(owner)} had a plant with that id`,
      )
    },

    async misses(owner, id) {
      if (!(await subject.delete(owner, id))) return
      throw new ContractViolation(
        `delete(${show(owner)}, ${show(id)}) answered true, although ${show(owner)} had no plant with that id`,
      )
    },
  }
  return subject
}

async function ask<T>(call: () => string, run: () => MaybePromise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw new ContractViolation(`${call()} threw ${show(cause)}`, { cause })
  }
}

function answerOf(call: () => string, answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new ContractViolation(`${call()} answered ${show(answer)}, which is neither true nor false`)
}

function problemOfPage(plants: unknown, { after, limit }: PageQuery): string | undefined {
  if (!Array.isArray(plants)) return 'that is no array'
  if (plants.length > limit) return `those are ${plants.length} plants, more than limit`
  let last = after
  for (const plant of plants as (StoredPlant | null | undefined)[]) {
    if (typeof plant?.id !== 'bigint') return `the id in ${show(plant)} is no bigint`
    if (typeof plant.name !== 'string') return `the name in ${show(plant)} is no string`
    if (plant.tag !== undefined && typeof plant.tag !== 'string') {
      return `the tag in ${show(plant)} is neither a string nor undefined`
    }
    if (last !== undefined && plant.id <= last) {
      return last === after
        ? `${show(plant.id)} is not greater than after`
        : `${show(plant.id)} follows ${show(last)}, so ids are not ascending`
    }
    last = plant.id
  }
  return undefined
}

/** The tests of one part of the contract: what it says, and how it is tried on an empty storage. */
export type Tests = Record<string, (storage: Subject) => Promise<void>>
