import { atOnce } from '../waiting.ts'
import { newOwner, numbered, plantOf } from './plants.ts'
import type { StorageRules } from './storage-under-test.ts'

const LONG_PAGE = 10_000
const BLOCK = 250
/** A storage that is quick gets as many plants as fit this time, up to this number. */
const QUICK_MS = 300
const QUICK_PLANTS = 12_000
const MAX_DELETED = 5000

/**
 * What many plants must be.
 *
 * @param minimum the number of plants. With `isMinimum`, a quick storage gets more
 */
export function manyRules(minimum: number, isMinimum: boolean): StorageRules {
  return {
    [`${minimum} plants of one owner are listed whole, at every boundary`]: async (storage) => {
      const alice = newOwner()
      const idAt = (index: number) => BigInt(index) * 3n
      const create = (index: number) =>
        storage.create(alice, { ...plantOf(idAt(index)), tag: `${idAt(index)}` })
      const list = (start: number, limit: number) =>
        storage.list(alice, { after: start === 0 ? undefined : idAt(start - 1), limit })

      await atOnce(scattered(0, minimum), create)
      let count = minimum
      const end = performance.now() + QUICK_MS
      while (isMinimum && count < QUICK_PLANTS && performance.now() < end) {
        const next = Math.min(QUICK_PLANTS, count + BLOCK)
        await atOnce(scattered(count, next), create)
        count = next
      }

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
      const odd = numbered(count - first, (index) => first + index).filter((at) => at % 2 === 1)
      await atOnce(odd, (index) => storage.delete(alice, idAt(index)))
      await list(first, MAX_DELETED)
      await storage.reopen()
      await list(first, MAX_DELETED)
    },
  }
}

/** The numbers from `start` to `end`, each five of them apart. */
function scattered(start: number, end: number): number[] {
  const all = numbered(end - start, (index) => start + index)
  return [3, 1, 4, 0, 2].flatMap((rest) => all.filter((_, at) => at % 5 === rest))
}
