import { newOwner } from './new-owner.ts'
import { settleAll } from './settle-all.ts'
import { type ContractTests, plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept } from './violation.ts'

const ROUNDS = 20

/** The tests of two instances on the same data, such as those of two processes. */
export const instances: ContractTests = {
  'each of two instances sees what the other has created or deleted': async (first, openSecond) => {
    const alice = newOwner()
    await first.mustCreate(alice, plantOf(0n))
    const second = await openSecond()
    const both = [first, second]
    for (const [writer, reader] of [both, both.toReversed()] as [
      StorageUnderTest,
      StorageUnderTest,
    ][]) {
      for (const id of [1n, -1n]) {
        // Both have read the page, so a cache of either would be stale now.
        for (const one of both) await one.mustListAll(alice, plantOf(0n))
        for (const plant of [plantOf(id), { ...plantOf(id), tag: 'new' }]) {
          await reader.mustNotDelete(alice, id)
          await writer.mustCreate(alice, plant)
          const expected = [plantOf(0n), plant].sort((a, b) => (a.id < b.id ? -1 : 1))
          for (const one of both) await one.mustListAll(alice, ...expected)
          await reader.mustNotCreate(alice, plantOf(id))
          await writer.mustDelete(alice, id)
          for (const one of both) await one.mustListAll(alice, plantOf(0n))
        }
        await writer.mustCreate(alice, plantOf(id))
        await reader.mustDelete(alice, id)
        await writer.mustNotDelete(alice, id)
      }
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

  'an instance goes on when the other one is closed': async (first, openSecond) => {
    const alice = newOwner()
    const second = await openSecond()
    await second.mustCreate(alice, plantOf(1n))
    await first.mustCreate(alice, plantOf(2n))
    await second.close()
    await first.mustListAll(alice, plantOf(1n), plantOf(2n))
    await first.mustCreate(alice, plantOf(3n))
    await first.mustDelete(alice, 1n)
    await first.mustListAll(alice, plantOf(2n), plantOf(3n))
  },
}

function mustBeOne(calls: string, results: boolean[]): void {
  const count = results.filter(Boolean).length
  assertKept(
    count === 1,
    `Of two concurrent ${calls} of one id through two instances, ${count} returned true, expected 1`,
  )
}
