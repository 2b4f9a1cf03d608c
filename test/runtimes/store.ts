import { createPlantStore, type PlantStorage } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { createContractStore } from '../contract/fixture.ts'

const MILLION = 1_000_000

/** The store of the contract, or with COUNTING in the environment one that tells how it is read. */
export const store = process.env.COUNTING
  ? createPlantStore(counting(memoryStorage()), (token) => ({ owner: token }), { onError() {} })
  : createContractStore()

/** The owner `million` has so many plants; the one plant of `counts` has the counts for its name. */
function counting(storage: PlantStorage): PlantStorage {
  let reads = 0
  return {
    ...storage,
    list(owner, page) {
      if (owner === 'counts') {
        return [{ id: 0n, name: JSON.stringify({ reads, memory: process.memoryUsage().rss }) }]
      }
      if (owner !== 'million') return storage.list(owner, page)
      reads++
      const first = Number(page.after ?? 0n) + 1
      return Array.from({ length: Math.min(page.limit, MILLION + 1 - first) }, (_, index) => {
        const id = first + index
        return { id: BigInt(id), name: `Plant ${id}`.padEnd(100) }
      })
    },
  }
}
