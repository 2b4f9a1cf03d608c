import type { StoredPlant } from '../../index.ts'
import { assertKept, show } from '../framework.ts'
import { atOnce, settleAll, sleep } from '../waiting.ts'
import { difference } from './model.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules, StorageUnderTest } from './storage-under-test.ts'

const CONCURRENT_CALLS = 128
const MANY_CALLS = 300

/** What calls at the same time must do. */
export const concurrency: StorageRules = {
  'exactly one of many concurrent creates or deletes of one plant returns true': (storage) =>
    mustBeOne(CONCURRENT_CALLS, newOwner(), [storage]),

  'concurrent calls for different plants do not affect each other': async (storage) => {
    const alice = newOwner()
    const plants = numbered(MANY_CALLS, (id) => plantOf(BigInt(id)))
    await settleAll(plants.map((plant) => storage.create(alice, plant)))
    await storage.list(alice)
    const [gone, kept] = [plants.slice(0, MANY_CALLS / 2), plants.slice(MANY_CALLS / 2)]
    await settleAll([
      ...gone.map(({ id }) => storage.delete(alice, id)),
      ...kept.map(({ id }) => storage.create(alice, plantOf(id + 1000n))),
      ...kept.map((plant) => storage.create(alice, plant)),
    ])
    await storage.list(alice)
    await storage.reopen()
    await storage.list(alice)
  },

  'racing creates and deletes of one id leave the state they returned': async ({ unchecked }) => {
    const alice = newOwner()
    for (let round = 0; round < 10; round++) {
      let left = 0
      await settleAll(
        numbered(10, async (index) => {
          const [deleted, created, seen] = await settleAll([
            unchecked.delete(alice, 1n),
            unchecked.create(alice, { id: 1n, name: `${index}`, tag: `${index}` }),
            unchecked.list(alice, { limit: 10 }),
          ])
          left += Number(created) - Number(deleted)
          const torn = seen.find(({ name, tag }) => name !== tag)
          const problem = `list had ${show(torn)}, but it was created with a tag equal to its name`
          assertKept(!torn, `${problem}: create and delete must take effect at one moment`)
        }),
      )
      const { length } = await unchecked.list(alice, { limit: 10 })
      const summary = `On an empty storage, ${left} more creates than deletes of one id returned true`
      assertKept(length === left, `${summary}, but then list had ${length} plants`)
      await unchecked.delete(alice, 1n)
    }
  },

  'pages read during other calls have each unaffected plant once': async (storage) => {
    const alice = newOwner()
    const plants = numbered(60, (index) => plantOf(BigInt(index * 2)))
    await storage.create(alice, ...plants)
    let reading = true
    const writers = numbered(12, async (writer) => {
      const id = BigInt(writer * 10 + 1)
      while (reading) {
        await storage.create(alice, plantOf(id))
        await yieldToOthers()
        await storage.delete(alice, id)
        await yieldToOthers()
      }
    })
    await settleAll([...writers, readPages().finally(() => (reading = false))])

    async function readPages(): Promise<void> {
      for (const limit of [1, 5, 7, 10, 15, 20]) {
        const seen: StoredPlant[] = []
        let page: readonly StoredPlant[]
        do {
          page = await storage.unchecked.list(alice, { after: seen.at(-1)?.id, limit })
          seen.push(...page)
          await yieldToOthers()
        } while (page.length === limit)
        const unaffected = seen.filter(({ id }) => id % 2n === 0n)
        const problem = difference(unaffected, plants)
        const during = 'During creates and deletes of other plants'
        assertKept(!problem, `${during}, pages of ${limit} returned ${problem}`)
      }
    }
  },

  'a list is a snapshot of one moment': async (storage) => {
    const alice = newOwner()
    for (const steps of [0, 2, 5, 11]) {
      await atOnce(atBothEnds, (id) => storage.create(alice, plantOf(id)))
      for (let index = 0; index < atBothEnds.length; index += 4) {
        const reading = storage.unchecked.list(alice, { limit: 100 })
        const [seen] = await settleAll([reading, deleteFour(index, steps)])
        const last = atBothEnds.slice(atBothEnds.length - seen.length)
        const stale = seen.find(({ id }) => !last.includes(id))
        assertKept(!stale, `a list had ${show(stale)}, but not each plant deleted after it`)
      }
    }

    async function deleteFour(start: number, steps: number): Promise<void> {
      for (let left = steps; left > 0; left--) await undefined
      // As few promises as can be lie between two deletes.
      for (const id of atBothEnds.slice(start, start + 4)) await storage.delete(alice, id)
    }
  },
}

/** The order of deletes: at both ends by turns, since a list that is torn may be read from either end. */
const atBothEnds = numbered(20, (index) => [BigInt(index - 20), BigInt(19 - index)]).flat()

/**
 * Makes concurrent creates of one id, then concurrent deletes, through the instances by turns. Exactly one must return
 * true, and each caller must see what it was told.
 */
export async function mustBeOne(calls: number, owner: string, instances: StorageUnderTest[]) {
  for (const method of ['create', 'delete'] as const) {
    const left = method === 'create' ? 1 : 0
    const winners: StoredPlant[] = []
    await settleAll(
      numbered(calls, async (index) => {
        const { unchecked } = instances[index % instances.length]!
        // Each plant is there twice, since only one is created even if the plants are identical.
        const plant = plantOf(1n, `plant ${index >> 1}`)
        const isWinner = await (method === 'create'
          ? unchecked.create(owner, plant)
          : unchecked.delete(owner, 1n))
        if (isWinner) winners.push(plant)
        // Both results mean that the plant exists now, or that it does not.
        const { length } = await unchecked.list(owner, { limit: 10 })
        const problem = `A concurrent ${method} of one id returned ${isWinner}, but a list after that had ${length} plants`
        assertKept(length === left, problem)
      }),
    )
    const way = instances.length > 1 ? ` through ${instances.length} instances` : ''
    const summary = `${calls} concurrent ${method}s of one id${way}`
    const { length } = winners
    assertKept(length === 1, `Of ${summary}, ${length} returned true, expected 1`)
    for (const { unchecked } of instances) {
      const problem = difference(await unchecked.list(owner, { limit: 10 }), winners.slice(0, left))
      assertKept(!problem, `After ${summary}, a list had ${problem}`)
    }
  }
}

/** Yields to the other callers, since calls of a synchronous storage never do, and not to all of them equally. */
const yieldToOthers = () => sleep(Math.random() * 4)
