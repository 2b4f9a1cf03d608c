import type { StoredPlant } from '../plant.ts'
import { atOnce } from './at-once.ts'
import { newOwner } from './new-owner.ts'
import { settleAll } from './settle-all.ts'
import { type ContractTests, plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept, difference, show } from './violation.ts'

const CONCURRENT_CALLS = 128
const MANY_CALLS = 300

export const concurrency: ContractTests = {
  'exactly one of many concurrent creates with one id returns true, and its plant is stored':
    async (storage) => {
      const alice = newOwner()
      // Each plant is there twice, since only one is created even if the plants are identical.
      const plants = numbered(CONCURRENT_CALLS, (index) => ({
        id: 1n,
        name: `plant ${index >> 1}`,
      }))
      const results = await settleAll(
        plants.map(async (plant) => {
          const created = await storage.create(alice, plant)
          // Both results mean that the plant exists now, so the caller must see it.
          const { length } = await storage.list(alice, { limit: 10 })
          const call = `create(${show(alice)}, ${show(plant)}) returned ${created}`
          assertKept(length === 1, `${call}, but a list after that had ${length} plants`)
          return created
        }),
      )
      const created = plants.filter((_, index) => results[index])
      expectOne(created.length, `${CONCURRENT_CALLS} concurrent creates with one id`)
      await storage.mustListAll(alice, ...created)
    },

  'exactly one of many concurrent deletes of one plant returns true': async (storage) => {
    const alice = newOwner()
    await storage.mustCreate(alice, plantOf(1n), plantOf(2n))
    const results = await settleAll(
      numbered(CONCURRENT_CALLS, async () => {
        const deleted = await storage.delete(alice, 2n)
        const [, seen] = await storage.list(alice, { limit: 10 })
        const call = `delete(${show(alice)}, 2n) returned ${deleted}`
        assertKept(seen === undefined, `${call}, but a list after that had ${show(seen)}`)
        return deleted
      }),
    )
    expectOne(results.filter(Boolean).length, `${CONCURRENT_CALLS} concurrent deletes of one plant`)
    await storage.mustListAll(alice, plantOf(1n))
  },

  'concurrent calls for different plants do not affect each other': async (storage) => {
    const alice = newOwner()
    const plants = numbered(MANY_CALLS, BigInt).map(plantOf)
    await settleAll(plants.map((plant) => storage.mustCreate(alice, plant)))
    await storage.mustListAll(alice, ...plants)
    const [gone, kept] = [plants.slice(0, MANY_CALLS / 2), plants.slice(MANY_CALLS / 2)]
    const added = kept.map(({ id }) => plantOf(id + 1000n))
    await settleAll([
      ...gone.map(({ id }) => storage.mustDelete(alice, id)),
      ...added.map((plant) => storage.mustCreate(alice, plant)),
      ...kept.map((plant) => storage.mustNotCreate(alice, plant)),
    ])
    await storage.mustListAll(alice, ...kept, ...added)
    await storage.reopen()
    await storage.mustListAll(alice, ...kept, ...added)
  },

  'racing creates and deletes of one id are seen whole and leave the state that they returned':
    async (storage) => {
      const alice = newOwner()
      for (let round = 0; round < 10; round++) {
        let left = 0
        await settleAll(
          numbered(10, async (index) => {
            const [deleted, created, seen] = await settleAll([
              storage.delete(alice, 1n),
              storage.create(alice, { id: 1n, name: `${index}`, tag: `${index}` }),
              storage.list(alice, { limit: 10 }),
            ])
            left += Number(created) - Number(deleted)
            const torn = seen.find(({ name, tag }) => name !== tag)
            assertKept(
              torn === undefined,
              `list had ${show(torn)}, but it was created with a tag equal to its name: create and delete must take effect at one moment`,
            )
          }),
        )
        const { length } = await storage.list(alice, { limit: 10 })
        const summary = `On an empty storage, ${left} more creates than deletes of one id returned true`
        assertKept(length === left, `${summary}, but then list had ${length} plants`)
        await storage.delete(alice, 1n)
      }
    },

  'pages read during other creates and deletes contain each unaffected plant once': async (
    storage,
  ) => {
    const alice = newOwner()
    const plants = numbered(60, (index) => plantOf(BigInt(index * 2)))
    await storage.mustCreate(alice, ...plants)
    let reading = true
    const writers = numbered(12, async (writer) => {
      const temporary = plantOf(BigInt(writer * 10 + 1))
      while (reading) {
        await storage.mustCreate(alice, temporary)
        await yieldToOthers()
        await storage.mustDelete(alice, temporary.id)
        await yieldToOthers()
      }
    })
    await settleAll([...writers, readPages().finally(() => (reading = false))])

    async function readPages(): Promise<void> {
      for (const limit of [1, 5, 7, 10, 15, 20]) {
        const seen: StoredPlant[] = []
        let page: readonly StoredPlant[]
        do {
          page = await storage.list(alice, { after: seen.at(-1)?.id, limit })
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

  'concurrent lists each return the requested page': async (storage) => {
    const ids = [-111n, -11n, -1n, 0n, 1n, 2n, 11n, 12n, 111n, 112n, 1111n]
    const base = newOwner()
    const owners = [base, `${base}1`]
    await settleAll(
      owners.map((owner) =>
        storage.mustCreate(owner, ...ids.map((id) => ({ id, name: `${id} of ${owner}` }))),
      ),
    )
    await settleAll(
      owners.flatMap((owner) =>
        [undefined, ...ids].flatMap((after) =>
          [1, 11, 111].map((limit) => {
            const page = ids.filter((id) => after === undefined || id > after).slice(0, limit)
            const plants = page.map((id) => ({ id, name: `${id} of ${owner}` }))
            return storage.mustList(owner, { after, limit }, plants)
          }),
        ),
      ),
    )
  },

  'a list is a snapshot of one moment': async (storage) => {
    const alice = newOwner()
    await storage.mustCreate(alice, ...atBothEnds.map(plantOf))
    let deleting = true
    const readers = numbered(4, readRepeatedly)
    await settleAll([...readers, deleteInOrder().finally(() => (deleting = false))])

    async function deleteInOrder(): Promise<void> {
      for (const [index, id] of atBothEnds.entries()) {
        await storage.mustDelete(alice, id)
        // Three of them at once, so that they may all be deleted during one list.
        if (index % 3 === 0) await yieldToOthers()
      }
    }

    async function readRepeatedly(): Promise<void> {
      while (deleting) {
        await mustSeeOneMoment(storage, alice)
        await yieldToOthers()
      }
    }
  },

  'a list is not torn between two promises either': async (storage) => {
    const alice = newOwner()
    for (const steps of [0, 2, 5, 11]) {
      await atOnce(atBothEnds, (id) => storage.mustCreate(alice, plantOf(id)))
      for (let index = 0; index < atBothEnds.length; index += 4) {
        const reading = mustSeeOneMoment(storage, alice)
        await settleAll([reading, deleteFour(index, steps)])
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

/** Lists plants that are deleted in the order of `atBothEnds`. */
async function mustSeeOneMoment(storage: StorageUnderTest, owner: string): Promise<void> {
  const seen = await storage.list(owner, { limit: 100 })
  const last = atBothEnds.slice(atBothEnds.length - seen.length)
  const stale = seen.find(({ id }) => !last.includes(id))
  assertKept(
    stale === undefined,
    `a list had ${show(stale)}, but not each plant that was deleted after it`,
  )
}

/** Yields to the other callers, since calls of a synchronous storage never do, and not to all of them equally. */
function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
}

function expectOne(count: number, what: string): void {
  assertKept(count === 1, `Of ${what}, ${count} returned true, expected 1`)
}

function numbered<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}
