import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'

/** A storage with a pool, as of a database: `pool` calls at once, each for `ms`, and a queue of its own behind them. */
export function slowStorage(pool: number, ms: number): PlantStorage {
  const storage = memoryStorage()
  const queue: (() => void)[] = []
  let running = 0

  async function run<T>(call: () => T): Promise<T> {
    if (running < pool) running++
    else await new Promise<void>((resolve) => queue.push(resolve))
    await new Promise((resolve) => setTimeout(resolve, ms))
    const next = queue.shift()
    if (next) next()
    else running--
    return call()
  }

  return {
    maxConcurrentCalls: pool,
    create: (owner, plant) => run(() => storage.create(owner, plant)),
    list: (owner, query) => run(() => storage.list(owner, query)),
    delete: (owner, id) => run(() => storage.delete(owner, id)),
  }
}
