import type { PlantStorage } from '../../src/plant-storage.ts'

/** Shared by what calls a store or a storage directly, without HTTP. */

export const plant = (id: number) => ({ id: BigInt(id), name: `Monstera ${id}`, tag: 'indoor' })

/** Creates plants with the ids from 1, many at a time, so that they may share commits. */
export async function addPlants(storage: PlantStorage, owner: string, count: number) {
  for (let id = 1; id <= count; ) {
    const batch: unknown[] = []
    for (; batch.length < 5_000 && id <= count; id++) {
      batch.push(storage.create(owner, plant(id)))
    }
    await Promise.all(batch)
  }
}

/** As many calls at once as a busy server has. */
const CALLS_AT_ONCE = 64

/** The CPU time of a call in µs, `CALLS_AT_ONCE` at once. */
export async function cpuOfCalls<T>(inputs: T[], call: (input: T) => unknown): Promise<number> {
  const begin = process.cpuUsage()
  for (let i = 0; i < inputs.length; i += CALLS_AT_ONCE) {
    await Promise.all(inputs.slice(i, i + CALLS_AT_ONCE).map(call))
  }
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / inputs.length
}
