/**
 * Tests of the `PlantStorage` contract and of the HTTP contract, to run on a storage or an adapter of your own
 * in any test framework.
 *
 * ```ts
 * // my-storage.test.mts, with Vitest: npx vitest run my-storage.test.mts
 * import { testPlantStorage } from 'plant-store/testing'
 * import { describe, it } from 'vitest'
 * import { myStorage } from './my-storage.ts'
 *
 * testPlantStorage({ describe, it }, () => myStorage())
 * ```
 *
 * @module
 */
import { assertOptions, assertWholeNumber } from './lib/check-options.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { PlantStorage } from './plant-storage.ts'
import { concurrency } from './testing/concurrency.ts'
import { creating } from './testing/creating.ts'
import { deleting } from './testing/deleting.ts'
import { assertTestFunctions, type TestFramework } from './testing/framework.ts'
import { largePlants } from './testing/large.ts'
import { listing } from './testing/listing.ts'
import { checkManyPlants } from './testing/many.ts'
import { owners } from './testing/owners.ts'
import { runTest } from './testing/run-test.ts'
import type { ContractTests } from './testing/storage-under-test.ts'
import { texts } from './testing/texts.ts'

export type { AdapterTestStoreOptions } from './testing/adapter/test-store.ts'
export { createAdapterTestStore } from './testing/adapter/test-store.ts'
export {
  type KnownLimit,
  type TestHost,
  type TestPlantAdapterOptions,
  testPlantAdapter,
} from './testing/adapter.ts'
export type { TestFramework } from './testing/framework.ts'

/** The options of `testPlantStorage`. */
export interface TestPlantStorageOptions {
  /**
   * The number of plants that the largest test creates, 100 or more. From 100 000 on, that test also
   * checks that calls do not slow down as the number of plants grows. Default: 1200, which is more than
   * two pages of the core.
   */
  readonly manyPlants?: number | undefined
  /**
   * The `maxBodyBytes` of your store, 20 000 or more: no plant is larger than such a body. Change it here as in
   * `createPlantStore`: lower, for a storage that can't hold 64 KiB, such as Deno KV. Default: 65 536 (64 KiB).
   */
  readonly maxBodyBytes?: number | undefined
}

// A test makes up to 900 calls in sequence, and a call of a remote database may take 200 ms.
const TEST_TIMEOUT_MS = 180_000
const DEFAULT_BODY_BYTES = 65_536
// One text of the tests has 4096 characters of four bytes.
const MIN_BODY_BYTES = 20_000

/**
 * Defines one test for each rule of the `PlantStorage` contract: results and their types, ids over the
 * whole int64 range, pages at every boundary, similar and long owners (up to 1404 bytes of UTF-8), all
 * kinds of text, and concurrent calls. A failure names the call, its result and the violated rule.
 *
 * @param framework the `describe` and `it` of your test framework
 * @param makeStorage returns an empty storage, or a promise of one. It is called for each test, and again
 *   after a failed test to check that the new storage is empty. The kit closes every storage it gets.
 * @param options see `TestPlantStorageOptions`
 * @throws TypeError for an unknown option
 * @throws RangeError for a `manyPlants` or `maxBodyBytes` out of its range
 *
 * @example Node's own test runner: node --test my-storage.test.mts
 * ```ts
 * import { describe, it } from 'node:test'
 *
 * testPlantStorage({ describe, it }, async () => {
 *   await database.exec('DELETE FROM plants')
 *   return myStorage(database)
 * })
 * ```
 */
export function testPlantStorage(
  framework: TestFramework,
  makeStorage: () => MaybePromise<PlantStorage>,
  options: TestPlantStorageOptions = {},
): void {
  const { describe, it } = Object(framework) as TestFramework
  assertTestFunctions('testPlantStorage({ describe, it }, makeStorage)', {
    describe,
    it,
    makeStorage,
  })
  const { manyPlants, maxBodyBytes } = resolveStorageTest(options)
  const many: ContractTests = {
    [`${manyPlants} plants of one owner are listed completely, at every page boundary`]: (
      storage,
    ) => checkManyPlants(storage, manyPlants),
  }

  describe('PlantStorage contract', () => {
    const large = largePlants(maxBodyBytes)
    for (const tests of [creating, listing, deleting, owners, texts, large, concurrency]) {
      defineTests(tests, TEST_TIMEOUT_MS)
    }
    // A durable create takes about a millisecond, if each of them waits for the disk.
    defineTests(many, TEST_TIMEOUT_MS + manyPlants)
  })

  function defineTests(tests: ContractTests, timeoutMs: number): void {
    for (const [rule, test] of Object.entries(tests)) {
      it(rule, () => runTest(rule, test, makeStorage), timeoutMs)
    }
  }
}

function resolveStorageTest(options: TestPlantStorageOptions) {
  assertOptions('testPlantStorage', options, ['manyPlants', 'maxBodyBytes'])
  const { manyPlants = 1200, maxBodyBytes = DEFAULT_BODY_BYTES } = options
  assertWholeNumber('manyPlants', manyPlants, 100, Number.MAX_SAFE_INTEGER)
  assertWholeNumber('maxBodyBytes', maxBodyBytes, MIN_BODY_BYTES, Number.MAX_SAFE_INTEGER)
  return { manyPlants, maxBodyBytes }
}
