import { settleAll } from '../waiting.ts'
import { mustBeOne } from './concurrency.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

const ROUNDS = 20

/** The rules of a storage that can be opened again, after `close()`. */
export const restarts: StorageRules = {
  'the last calls before close() are kept': async (storage) => {
    const alice = newOwner()
    for (const id of [1n, 2n, 3n]) {
      await storage.create(alice, { ...plantOf(id), tag: 'a' })
      await storage.reopen()
      // It changes nothing, not even at the next start.
      await storage.create(alice, plantOf(id, 'refused'))
    }
    await storage.list(alice)
    for (const id of [2n, 1n, 3n]) {
      await storage.delete(alice, id)
      await storage.reopen()
      await storage.delete(alice, id)
    }
  },
}

/** The rules of two storages on the same data, as two processes have them. */
export const sharedData: StorageRules = {
  'each of two instances sees what the other has created or deleted': async (first, openSecond) => {
    const both = [first, await openSecond()] as const
    for (const [writer, reader] of [both, both.toReversed()] as (typeof both)[]) {
      const alice = newOwner()
      /** Lists full and short pages. It only reads: calls that change something may clear a cache. */
      const see = async () => {
        for (const after of [2n, 1n, undefined]) {
          for (const limit of [500, 2, 1]) await reader.list(alice, { after, limit })
        }
      }
      const [one, two] = [plantOf(1n), plantOf(2n)]
      const again = { ...one, name: 'again', tag: 'new' }

      await see()
      await writer.create(alice, one)
      await see()
      await writer.create(alice, two)
      await see()
      await writer.delete(alice, 1n)
      await see()
      await writer.create(alice, again)
      await see()

      await reader.create(alice, one)
      for (const plant of [one, again]) {
        await writer.delete(alice, 1n)
        await reader.delete(alice, 1n)
        await writer.create(alice, plant)
        await reader.delete(alice, 1n)
        await writer.delete(alice, 1n)
        await reader.create(alice, plant)
      }
      await see()
    }
  },

  'of concurrent calls of two instances, exactly one returns true': async (first, openSecond) => {
    const alice = newOwner()
    const both = [first, await openSecond()]
    for (let round = 0; round < ROUNDS; round++) await mustBeOne(4, alice, both)
  },

  'two instances that create and delete at once lose nothing': async (first, openSecond) => {
    const alice = newOwner()
    const both = [first, await openSecond()]
    const plants = numbered(2 * ROUNDS, (id) => plantOf(BigInt(id)))
    const instanceFor = (id: bigint) => both[Number(id % 2n)]!
    const listBoth = async () => {
      for (const one of both) await one.list(alice)
    }
    const create = (id: bigint) => instanceFor(id).create(alice, plantOf(id))
    await settleAll(plants.map(({ id }) => create(id)))
    await listBoth()
    const gone = plants.slice(0, ROUNDS)
    await settleAll([
      ...gone.map(({ id }) => instanceFor(id + 1n).delete(alice, id)),
      ...gone.map(({ id }) => create(id + 1000n)),
    ])
    await listBoth()
  },

  'an instance goes on when others are closed': async (first, openSecond) => {
    const alice = newOwner()
    const [second, third] = [await openSecond(), await openSecond()]
    await second.create(alice, plantOf(1n))
    await first.create(alice, plantOf(2n))
    for (const [closed, open, id] of [
      [second, first, 3n],
      [first, third, 4n],
    ] as const) {
      await closed.close()
      await open.list(alice)
      await open.create(alice, plantOf(id))
      await open.delete(alice, id - 2n)
      await open.list(alice)
    }
  },
}
