import type { StoredPlant } from '../plant.ts'
import { pages } from './listing.ts'
import { type Random, random } from './random.ts'
import { settleAll } from './settle-all.ts'
import type { ContractTests } from './storage-under-test.ts'
import { assertKept, difference, show } from './violation.ts'

const CONCURRENT_CALLS = 128

export const concurrency: ContractTests = {
  'exactly one of many concurrent creates with one id returns true, and its plant is stored':
    async (storage) => {
      let stored: StoredPlant[] = []
      for (const id of [0n, -(2n ** 63n), 2n ** 53n + 1n]) {
        const plants = numbered(CONCURRENT_CALLS, (index) => {
          // Only one is created even if the plants are identical.
          const text = id === 0n ? 'same' : `plant ${index}`
          return { id, name: text, tag: text }
        })
        const results = await settleAll(
          plants.map(async (plant) => {
            const created = await storage.create('alice', plant)
            // Both results mean that the plant exists now, so the caller must see it.
            const { length } = await storage.list('alice', { limit: 10 })
            const call = `create("alice", ${show(plant)}) returned ${created}`
            const isThere = length === stored.length + 1
            assertKept(isThere, `${call}, but a list after that had ${length} plants`)
            return created
          }),
        )
        const created = plants.filter((_, index) => results[index])
        expectOne(created.length, `${CONCURRENT_CALLS} concurrent creates with the id ${show(id)}`)
        stored = [...stored, ...created].sort((a, b) => Number(a.id - b.id))
        await storage.mustListAll('alice', ...stored)
      }
    },

  'exactly one of many concurrent deletes of one plant returns true': async (storage) => {
    await storage.mustCreate('alice', { id: 1n, name: 'Aloe' }, { id: 2n, name: 'Basil' })
    const results = await settleAll(
      numbered(CONCURRENT_CALLS, async () => {
        const deleted = await storage.delete('alice', 2n)
        const [, seen] = await storage.list('alice', { limit: 10 })
        const call = `delete("alice", 2n) returned ${deleted}`
        assertKept(seen === undefined, `${call}, but a list after that had ${show(seen)}`)
        return deleted
      }),
    )
    expectOne(results.filter(Boolean).length, `${CONCURRENT_CALLS} concurrent deletes of one plant`)
    await storage.mustListAll('alice', { id: 1n, name: 'Aloe' })
  },

  'concurrent calls for different plants do not affect each other': async (storage) => {
    const plants = numbered(CONCURRENT_CALLS, plantAt)
    await settleAll(plants.map((plant) => storage.mustCreate('alice', plant)))
    await storage.mustListAll('alice', ...plants)
    const [gone, kept] = [plants.slice(0, CONCURRENT_CALLS / 2), plants.slice(CONCURRENT_CALLS / 2)]
    const added = kept.map(({ id, name }) => ({ id: id + 1000n, name, tag: 'added' }))
    await settleAll([
      ...gone.map(({ id }) => storage.mustDelete('alice', id)),
      ...added.map((plant) => storage.mustCreate('alice', plant)),
      ...kept.map((plant) => storage.mustNotCreate('alice', { ...plant, name: 'Duplicate' })),
      ...added.map(({ id }) => storage.mustNotDelete('alice', id + 1000n)),
    ])
    await storage.mustListAll('alice', ...kept, ...added)
  },

  'racing creates and deletes of one id are seen whole and leave the state that they returned':
    async (storage) => {
      for (let round = 0; round < 10; round++) {
        const isCreate = (index: number) => (index + round) % 2 === 0
        const calls = numbered(20, (index) => {
          const name = `${round}.${index}`
          if (!isCreate(index)) return storage.delete('alice', 1n)
          return storage.create('alice', { id: 1n, name, tag: name })
        })
        const lists = numbered(5, () => storage.list('alice', { limit: 10 }))
        const [results, seen] = await settleAll([settleAll(calls), settleAll(lists)] as const)
        const torn = seen.flat().find(({ name, tag }) => name !== tag)
        assertKept(
          torn === undefined,
          `list had ${show(torn)}, but it was created with a tag equal to its name: create and delete must take effect at one moment`,
        )
        const succeeded = [...results.keys()].filter((index) => results[index])
        const created = succeeded.filter(isCreate).length
        const deleted = succeeded.length - created
        const [plant] = await storage.list('alice', { limit: 10 })
        const summary = `On an empty storage, ${created} creates and ${deleted} deletes of one id returned true`
        const count = plant ? 1 : 0
        assertKept(created - deleted === count, `${summary}, but then list had ${count} plants`)
        if (!plant) continue
        const isCreated = succeeded.includes(Number(plant.name.split('.')[1]))
        assertKept(isCreated, `list had ${show(plant)}, but no create of it returned true`)
        await storage.mustDelete('alice', 1n)
      }
    },

  'pages read during other creates and deletes contain each unaffected plant once': async (
    storage,
  ) => {
    const plants = numbered(60, (index) => plantAt(index * 2))
    await storage.mustCreate('alice', ...plants)
    let reading = true
    const writers = numbered(12, async (writer) => {
      const numbers = random(writer)
      for (let index = writer; reading; index = (index + 12) % 60) {
        const temporary = plantAt(index * 2 + 1)
        await storage.mustCreate('alice', temporary)
        await pauseAtRandom(numbers)
        await storage.mustDelete('alice', temporary.id)
        await pauseAtRandom(numbers)
      }
    })
    await settleAll([...writers, readPages().finally(() => (reading = false))])

    async function readPages(): Promise<void> {
      const numbers = random(12)
      for (const limit of [1, 7, 20, 10, 7, 5, 20, 15]) {
        const seen: StoredPlant[] = []
        for await (const page of pages(storage, 'alice', limit)) {
          seen.push(...page)
          await pauseAtRandom(numbers)
        }
        const unaffected = seen.filter(({ id }) => id % 2n === 0n)
        const problem = difference(unaffected, plants)
        const during = 'During creates and deletes of other plants'
        assertKept(!problem, `${during}, pages of ${limit} returned ${problem}`)
      }
    }
  },

  'concurrent lists each return the requested page': async (storage) => {
    const ids = [-111n, -11n, -1n, 0n, 1n, 2n, 11n, 12n, 111n, 112n, 1111n]
    const owners = ['a', 'a1', 'a11']
    await settleAll(
      owners.map((owner) =>
        storage.mustCreate(owner, ...ids.map((id) => ({ id, name: `${id} of ${owner}` }))),
      ),
    )
    const calls = owners.flatMap((owner) =>
      [undefined, ...ids].flatMap((after) =>
        [1, 11, 111].map((limit) => {
          const page = ids.filter((id) => after === undefined || id > after).slice(0, limit)
          const plants = page.map((id) => ({ id, name: `${id} of ${owner}` }))
          return () => storage.mustList(owner, { after, limit }, plants)
        }),
      ),
    )
    await settleAll(calls.map((call) => call()))
    for (const call of calls) await call()
  },

  'a list is a snapshot of one moment': async (storage) => {
    const plants = numbered(40, (index) => plantAt(index - 20))
    await storage.mustCreate('alice', ...plants)
    // In both directions, since a list that is not a snapshot may be read from either end.
    const pairs = numbered(20, (index) => {
      const pair = [BigInt(index - 20), BigInt(19 - index)] as const
      return index % 2 === 0 ? pair : (pair.toReversed() as [bigint, bigint])
    })
    let deleting = true
    const readers = numbered(4, (reader) => readRepeatedly(random(reader)))
    await settleAll([...readers, deletePairs(random(4)).finally(() => (deleting = false))])

    async function deletePairs(numbers: Random): Promise<void> {
      for (const [first, second] of pairs) {
        await storage.mustDelete('alice', first)
        await storage.mustDelete('alice', second)
        await pauseAtRandom(numbers)
      }
    }

    async function readRepeatedly(numbers: Random): Promise<void> {
      while (deleting) {
        const seen = new Set((await storage.list('alice', { limit: 100 })).map(({ id }) => id))
        for (const [first, second] of pairs) {
          const isWhole = !seen.has(first) || seen.has(second)
          assertKept(
            isWhole,
            `${second}n was deleted after ${first}n, but a list had ${first}n and not ${second}n`,
          )
        }
        await pauseAtRandom(numbers)
      }
    }
  },
}

/** Yields to the other callers, since calls of a synchronous storage never do. */
function pauseAtRandom(numbers: Random): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, numbers.below(4)))
}

function expectOne(count: number, what: string): void {
  assertKept(count === 1, `Of ${what}, ${count} returned true, expected 1`)
}

function plantAt(number: number): StoredPlant {
  return { id: BigInt(number), name: `plant ${number}` }
}

function numbered<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}
