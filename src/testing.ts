/**
 * Tests of the `PlantStorage` contract and of the HTTP contract, to run on your storage or your adapter in any
 * test framework.
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
import { assertOptions, assertWholeNumber } from './lib/arguments.ts'
import type { MaybePromise } from './lib/promises.ts'
import type { PlantStorage } from './plant-storage.ts'
import { assertTestFunctions, type TestFramework } from './testing/framework.ts'
import { calls } from './testing/storage/calls.ts'
import { concurrency } from './testing/storage/concurrency.ts'
import { manyRules } from './testing/storage/many.ts'
import { owners } from './testing/storage/owners.ts'
import { restarts, sharedData } from './testing/storage/restarts.ts'
import { createRunRule } from './testing/storage/run-rule.ts'
import type { StorageRules } from './testing/storage/storage-under-test.ts'
import { textRules } from './testing/storage/texts.ts'

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
   * Reopens the data of the storage that `open` returned last, after it was closed, as a restart does. The tests call
   * it in the middle of many rules. Default: persistence is not tested, and the output says so.
   */
  readonly reopen?: (() => MaybePromise<PlantStorage>) | undefined
  /**
   * Opens a second storage on the same data, while the one that `open` returned last is open, as a second process or
   * Worker does. Default: sharing the data is not tested, and the output says so.
   */
  readonly openSecond?: (() => MaybePromise<PlantStorage>) | undefined
  /**
   * The number of plants that the largest test creates, 100 or more. Default: 2500.
   */
  readonly manyPlants?: number | undefined
  /**
   * The `maxBodyBytes` of your store, 10 000 or more: no plant is larger than such a body. Change it here as in
   * `createPlantStore`. Default: 16 384 (16 KiB).
   */
  readonly maxBodyBytes?: number | undefined
}

// A test makes up to 900 calls in sequence, and a call of a remote database may take 200 ms.
const TEST_TIMEOUT_MS = 180_000
const DEFAULT_MANY_PLANTS = 2500
const DEFAULT_BODY_BYTES = 16_384
// One text of the tests has 2048 characters of four bytes.
const MIN_BODY_BYTES = 10_000

/**
 * Defines one test for each rule of the `PlantStorage` contract: results and their types, ids over the
 * whole int64 range, pages at every boundary, similar and long owners (up to 1404 bytes of UTF-8), all
 * kinds of text, concurrent calls, and with `reopen` and `openSecond` restarts and several instances. The first line of a
 * failure names the call and its result, the last one the violated rule.
 *
 * The storage may hold other plants: the tests use fresh owners, and touch no other owner's plants. Each test removes
 * what it has created, also after a failure.
 *
 * @param framework the `describe` and `it` of your test framework
 * @param open returns the storage, or a promise of it. It is called for each test. The kit closes every storage it gets.
 * @param options see `TestPlantStorageOptions`
 * @throws TypeError for an unknown option
 * @throws RangeError for a `manyPlants` or `maxBodyBytes` out of its range
 *
 * @example Node's own test runner: node --test my-storage.test.mts
 * ```ts
 * import { describe, it } from 'node:test'
 *
 * const open = () => myStorage('test.db')
 * testPlantStorage({ describe, it }, open, { reopen: open, openSecond: open })
 * ```
 */
export function testPlantStorage(
  framework: TestFramework,
  open: () => MaybePromise<PlantStorage>,
  options: TestPlantStorageOptions = {},
): void {
  const { describe, it } = Object(framework) as TestFramework
  assertTestFunctions('testPlantStorage({ describe, it }, open)', { describe, it, open })
  const { reopen, openSecond, manyPlants, maxBodyBytes } = resolveStorageTest(options)
  const runRule = createRunRule(open, reopen, openSecond)
  // A durable create takes about a millisecond, if each of them waits for the disk, and so does its delete.
  const timeoutMs = TEST_TIMEOUT_MS + 2 * manyPlants

  describe('PlantStorage contract', () => {
    const sized = { ...textRules(maxBodyBytes), ...manyRules(manyPlants) }
    defineTests({ ...calls, ...owners, ...concurrency, ...sized })
    if (reopen) defineTests(restarts)
    else defineUnproved('plants persist: pass { reopen }')
    if (openSecond) defineTests(sharedData)
    else defineUnproved('several instances may share the data: pass { openSecond }')
  })

  function defineTests(rules: StorageRules): void {
    for (const [rule, test] of Object.entries(rules)) it(rule, () => runRule(rule, test), timeoutMs)
  }

  function defineUnproved(claim: string): void {
    if (it.skip) it.skip(`NOT PROVED: ${claim}`, async () => {})
    else it(`NOT PROVED: ${claim}`, async () => {})
  }
}

function resolveStorageTest(options: TestPlantStorageOptions) {
  const known = ['reopen', 'openSecond', 'manyPlants', 'maxBodyBytes']
  assertOptions('testPlantStorage', options, known)
  const { manyPlants = DEFAULT_MANY_PLANTS, maxBodyBytes = DEFAULT_BODY_BYTES } = options
  assertWholeNumber('manyPlants', manyPlants, 100, Number.MAX_SAFE_INTEGER)
  assertWholeNumber('maxBodyBytes', maxBodyBytes, MIN_BODY_BYTES, Number.MAX_SAFE_INTEGER)
  return { ...options, manyPlants, maxBodyBytes }
}
