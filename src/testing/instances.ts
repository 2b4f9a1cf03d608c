import type { StoredPlant } from '../plant.ts'
import { newOwner } from './new-owner.ts'
import { settleAll } from './settle-all.ts'
import { type ContractTests, plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept } from './violation.ts'

const ROUNDS = 20

/** The tests of two instances on the same data, such as those of two processes. */
export const instances: ContractTests = {
  'each of two instances sees what the other has created or deleted': async (first, openSecond) => {
    const both = [first, await openSecond()] as const
    for (const [writer, reader] of [both, both.toReversed()] as (typeof both)[]) {
      const alice = newOwner()
      // It only reads here: calls of its own that change something may clear a cache.
      const mustSee = (...expected: StoredPlant[]) => mustListPages(reader, alice, expected)
      const [one, two] = [plantOf(1n), plantOf(2n)]
      const again = { ...one, name: 'again', tag: 'new' }

      await mustSee()
      await writer.mustCreate(alice, one)
      await mustSee(one)
      await writer.mustCreate(alice, two)
      await mustSee(one, two)
      await writer.mustDelete(alice, 1n)
      await mustSee(two)
      await writer.mustCreate(alice, again)
      await mustSee(again, two)

      await reader.mustNotCreate(alice, one)
      await writer.mustDelete(alice, 1n)
      await reader.mustNotDelete(alice, 1n)
      await writer.mustCreate(alice, one)
      await reader.mustDelete(alice, 1n)
      await writer.mustNotDelete(alice, 1n)
      await reader.mustCreate(alice, again)
      await writer.mustDelete(alice, 1n)
      await reader.mustCreate(alice, one)
      await mustSee(one, two)
    }
  },

  'of concurrent calls of two instances for one id, exactly one returns true': async (
    first,
    openSecond,
  ) => {
    const alice = newOwner()
    const both = [first, await openSecond()]
    for (let round = 0; round < ROUNDS; round++) {
      const plants = both.map((_, index) => ({ id: 1n, name: `plant of instance ${index + 1}` }))
      const created = await settleAll(both.map((one, index) => one.create(alice, plants[index]!)))
      mustBeOne('creates', created)
      const [kept] = plants.filter((_, index) => created[index])
      for (const one of both) await one.mustListAll(alice, kept!)
      mustBeOne('deletes', await settleAll(both.map((one) => one.delete(alice, 1n))))
      for (const one of both) await one.mustListAll(alice)
    }
  },

  'two instances that create and delete at the same time lose nothing': async (
    first,
    openSecond,
  ) => {
    const alice = newOwner()
    const both = [first, await openSecond()]
    const plants = Array.from({ length: 2 * ROUNDS }, (_, id) => plantOf(BigInt(id)))
    const instanceFor = (id: bigint) => both[Number(id % 2n)]!
    await settleAll(plants.map((plant) => instanceFor(plant.id).mustCreate(alice, plant)))
    for (const one of both) await one.mustListAll(alice, ...plants)
    const gone = plants.slice(0, ROUNDS)
    const added = gone.map(({ id }) => plantOf(id + 1000n))
    await settleAll([
      ...gone.map(({ id }) => instanceFor(id + 1n).mustDelete(alice, id)),
      ...added.map((plant) => instanceFor(plant.id).mustCreate(alice, plant)),
    ])
    for (const one of both) await one.mustListAll(alice, ...plants.slice(ROUNDS), ...added)
  },

  'an instance goes on when others are closed': async (first, openSecond) => {
    const alice = newOwner()
    const [second, third] = [await openSecond(), await openSecond()]
    await second.mustCreate(alice, plantOf(1n))
    await first.mustCreate(alice, plantOf(2n))
    const plants = [plantOf(1n), plantOf(2n)]
    for (const [closed, open, added] of [
      [second, first, plantOf(3n)],
      [first, third, plantOf(4n)],
    ] as const) {
      await closed.close()
      await open.mustListAll(alice, ...plants)
      await open.mustCreate(alice, added)
      await open.mustDelete(alice, plants.shift()!.id)
      plants.push(added)
      await open.mustListAll(alice, ...plants)
    }
  },
}

/** Lists full and short pages, from behind each id and from the beginning. */
async function mustListPages(
  storage: StorageUnderTest,
  owner: string,
  expected: StoredPlant[],
): Promise<void> {
  for (const after of [2n, 1n, undefined]) {
    const rest = expected.filter(({ id }) => after === undefined || id > after)
    for (const limit of [500, 2, 1]) {
      await storage.mustList(owner, { after, limit }, rest.slice(0, limit))
    }
  }
}

function mustBeOne(calls: string, results: boolean[]): void {
  const count = results.filter(Boolean).length
  assertKept(
    count === 1,
    `Of two concurrent ${calls} of one id through two instances, ${count} returned true, expected 1`,
  )
}
