import { describe, expect, it } from 'vitest'
import type { MaybePromise } from '../../src/maybe-promise.ts'
import type { PlantStorage } from '../../src/plant-storage.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type TestPlantStorageOptions, testPlantStorage } from '../../src/testing.ts'
import { brokenStorages, storageOf } from './testing/broken-storages.ts'

testPlantStorage({ describe, it }, () => storageOf(), { manyPlants: 2500 })

describe('the contract kit', () => {
  it('says what the contract is and what the storage did', async () => {
    const forgetful = { ...storageOf(), create: () => true }
    const [failure] = await failuresOf(() => forgetful)
    expect(failure?.message).toMatchInlineSnapshot(`
      "list("alice", { limit: 2 }) answered 0 plants, and at position 0 there was nothing, not { id: 7n, name: "Monstera", tag: "indoor" }
      The contract: create answers true, and the plant is seen by every later call."
    `)
  })

  it('closes every storage that it asked for, also that of a test that fails', async () => {
    let [opened, closed] = [0, 0]
    const failures = await failuresOf(() => {
      opened++
      const storage = brokenStorages['after is ignored']!() as PlantStorage
      return { ...storage, close: () => void closed++ }
    })
    expect(failures).not.toEqual([])
    expect(closed).toBe(opened)
  })

  it('passes a storage that answers late and out of order', async () => {
    const failures = await failuresOf(() => late(memoryStorage()))
    expect(failures).toEqual([])
  })

  it('with 100 000 plants, passes a storage that keeps its pace, and catches one that slows down', async () => {
    expect(await failuresOf(memoryStorage, { manyPlants: 100_000 })).toEqual([])
    const failures = await failuresOf(slowing, { manyPlants: 100_000 })
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^list took .* ms among 1000 plants, and .* ms among all of them/),
    ])
  })

  for (const [name, makeStorage] of Object.entries(brokenStorages)) {
    it(`catches a storage that is broken: ${name}`, async () => {
      expect(await isCaught(makeStorage)).toBe(true)
    })
  }
})

/** Whether a test of the kit fails. */
async function isCaught(makeStorage: () => MaybePromise<PlantStorage>): Promise<boolean> {
  for (const run of testsOf(makeStorage)) {
    const caught = await run().then(
      () => false,
      () => true,
    )
    if (caught) return true
  }
  return false
}

/** Runs the kit, and collects what its tests throw. */
async function failuresOf(
  makeStorage: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): Promise<Error[]> {
  const failures: Error[] = []
  for (const run of testsOf(makeStorage, options))
    await run().catch((error) => void failures.push(error))
  return failures
}

function testsOf(
  makeStorage: () => MaybePromise<PlantStorage>,
  options?: TestPlantStorageOptions,
): (() => Promise<void>)[] {
  const tests: (() => Promise<void>)[] = []
  testPlantStorage(
    { describe: (_, define) => define(), it: (_, run) => void tests.push(run) },
    makeStorage,
    options,
  )
  return tests
}

/** Each call takes effect some time after it was made, and is answered some time after that. */
function late(storage: PlantStorage): PlantStorage {
  let turn = 0
  async function later<T>(run: () => MaybePromise<T>): Promise<T> {
    for (let wait = (turn++ * 7) % 5; wait > 0; wait--) await Promise.resolve()
    const answer = await run()
    for (let wait = (turn * 3) % 5; wait > 0; wait--) await Promise.resolve()
    return answer
  }
  return {
    create: (owner, plant) => later(() => storage.create(owner, plant)),
    list: (owner, page) => later(() => storage.list(owner, page)),
    delete: (owner, id) => later(() => storage.delete(owner, id)),
  }
}

/** A storage in which a short page takes long once there are many plants. */
function slowing(): PlantStorage {
  const storage = memoryStorage()
  let count = 0
  return {
    ...storage,
    create(owner, plant) {
      count++
      return storage.create(owner, plant)
    },
    list(owner, page) {
      const end = performance.now() + (count > 50_000 && page.limit <= 100 ? 20 : 0)
      while (performance.now() < end);
      return storage.list(owner, page)
    },
  }
}
