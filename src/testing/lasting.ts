import { edgeCaseIds } from './edge-case-ids.ts'
import { newOwner } from './new-owner.ts'
import { settleAll } from './settle-all.ts'
import { type ContractTests, plantOf } from './storage-under-test.ts'

/** A cache forgets within a second or two, if it is meant to. */
const IDLE_MS = 2200

/** Plants that stay though nobody asks for them. */
export const lasting: ContractTests = {
  [`a plant stays until it is deleted, also if nobody calls the storage for ${IDLE_MS / 1000} s`]:
    async (storage) => {
      const alice = newOwner()
      await storage.mustCreate(alice, plantOf(1n), plantOf(2n))
      await storage.mustDelete(alice, 2n)
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
      await storage.mustListAll(alice, plantOf(1n))
      await storage.mustNotCreate(alice, plantOf(1n))
    },
}

/** The tests of a storage that can be opened again. */
export const persistence: ContractTests = {
  'what was created and deleted is the same after the storage was closed and opened again': async (
    storage,
  ) => {
    const [alice, bob] = [newOwner(), newOwner('bob')]
    const plants = edgeCaseIds.map((id) => ({ ...plantOf(id), tag: `${id}` }))
    await storage.mustCreate(alice, ...plants)
    await storage.mustCreate(bob, plantOf(0n), plantOf(1n))
    const [first, ...others] = plants
    const last = others.pop()!
    for (const { id } of [first!, last]) await storage.mustDelete(alice, id)
    await storage.mustDelete(alice, 0n)
    await storage.mustCreate(alice, plantOf(0n))
    const expected = others.map((plant) => (plant.id === 0n ? plantOf(0n) : plant))

    for (let time = 0; time < 2; time++) {
      await storage.reopen()
      await storage.mustListAll(alice, ...expected)
      await storage.mustListAll(bob, plantOf(0n), plantOf(1n))
      // A refused create changes nothing, not even at the next start.
      for (const plant of expected.slice(0, 20)) {
        await storage.mustNotCreate(alice, { ...plant, name: 'refused' })
      }
      await storage.mustNotDelete(alice, last.id)
    }
    for (const { id } of expected) await storage.mustDelete(alice, id)
    await storage.reopen()
    await storage.mustListAll(alice)
    await storage.mustCreate(alice, plantOf(0n))
    await storage.reopen()
    await storage.mustListAll(alice, plantOf(0n))
  },

  'the last calls before close() are kept': async (storage) => {
    const alice = newOwner()
    for (const id of [1n, 2n, 3n]) {
      await storage.mustCreate(alice, plantOf(id))
      await storage.reopen()
    }
    await storage.mustListAll(alice, plantOf(1n), plantOf(2n), plantOf(3n))
    for (const id of [2n, 1n, 3n]) {
      await storage.mustDelete(alice, id)
      await storage.reopen()
      await storage.mustNotDelete(alice, id)
    }
    const plants = Array.from({ length: 50 }, (_, id) => plantOf(BigInt(id)))
    await settleAll(plants.map((plant) => storage.mustCreate(alice, plant)))
    await storage.reopen()
    await storage.mustListAll(alice, ...plants)
  },
}
