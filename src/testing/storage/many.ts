import { atOnce } from '../waiting.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

const LONG_PAGE = 10_000
const MAX_DELETED = 5000

/** What so many plants of one owner must be. */
export function manyRules(count: number): StorageRules {
  return {
    [`${count} plants of one owner are listed whole, at every boundary`]: async (storage) => {
      const alice = newOwner()
      const idAt = (index: number) => BigInt(index) * 3n
      const create = (index: number) =>
        storage.create(alice, { ...plantOf(idAt(index)), tag: `${idAt(index)}` })
      const list = (start: number, limit: number) =>
        storage.list(alice, { after: start === 0 ? undefined : idAt(start - 1), limit })

      // Each five of them apart.
      const indexes = numbered(count, (index) => index)
      const scattered = [3, 1, 4, 0, 2].flatMap((rest) => indexes.filter((at) => at % 5 === rest))
      await atOnce(scattered, create)

      await storage.reopen()
      for (let start = 0; start < count; start += LONG_PAGE) await list(start, LONG_PAGE)
      for (const limit of [1, 100, 128, 256, 512, 1000]) {
        for (const start of [0, 1, count - limit]) await list(Math.max(0, start), limit)
      }
      for (const limit of [2, 50, 99, 101, 127, 129, 200, 255, 257, 500, 501, 511, 513, 999]) {
        await list(limit % 100, limit)
      }
      await list(1, 1001)
      await create(count - 1)
      const first = Math.max(0, count - MAX_DELETED)
      const odd = indexes.filter((index) => index >= first && index % 2 === 1)
      await atOnce(odd, (index) => storage.delete(alice, idAt(index)))
      await list(first, MAX_DELETED)
      await storage.reopen()
      await list(first, MAX_DELETED)
    },
  }
}
