/**
 * The contract of `PlantStorage`, as tests to run on a storage of your own, in any test framework.
 *
 * ```ts
 * // my-storage.test.ts, with Vitest: npx vitest run my-storage.test.ts
 * import { testPlantStorage } from 'plant-store/testing'
 * import { describe, it } from 'vitest'
 * import { myStorage } from './my-storage.ts'
 *
 * testPlantStorage({ describe, it }, () => myStorage())
 * ```
 *
 * @module
 */
import type { MaybePromise } from './maybe-promise.ts'
import type { PlantStorage } from './plant-storage.ts'
import { anyOrder } from './testing/any-order.ts'
import { concurrency } from './testing/concurrency.ts'
import { creating } from './testing/creating.ts'
import { deleting } from './testing/deleting.ts'
import { listing } from './testing/listing.ts'
import { holdsMany } from './testing/many.ts'
import { owners } from './testing/owners.ts'
import { type Tests, toSubject } from './testing/subject.ts'
import { texts } from './testing/texts.ts'
import { ContractViolation } from './testing/violation.ts'

/**
 * What `testPlantStorage` asks of a test framework. `describe` and `it` of Vitest, Jest, `node:test`
 * and `bun:test` fit as they are; so does `node:test` under Deno and Bun.
 *
 * @example Deno's own
 * ```ts
 * testPlantStorage({
 *   describe: (_, define) => define(),
 *   it: (name, run) => Deno.test(name, run),
 * }, () => myStorage())
 * ```
 */
export interface TestFramework {
  describe(name: string, define: () => void): unknown
  /** `timeoutMs` is for frameworks that take it here, and give a test little time by default. */
  it(name: string, run: () => Promise<void>, timeoutMs?: number): unknown
}

/** The options of `testPlantStorage`. */
export interface TestPlantStorageOptions {
  /**
   * How many plants the test with many of them creates. From 100 000 on, it also checks that no call
   * takes a time that grows with their number. At least 100. Default: 1200, which is more than two
   * of the core's pages.
   */
  manyPlants?: number
}

// A test makes up to 900 calls in a row, and a database far away takes 200 ms for each.
const TEST_TIMEOUT_MS = 180_000

/**
 * Defines the tests of the storage contract: what `PlantStorage` says of each method, with ids over
 * all of int64, pages at every boundary, owners that look alike, every kind of text, and concurrent
 * callers. A failure says what the contract is and what the storage did.
 *
 * @param framework the `describe` and `it` of your test framework
 * @param makeStorage makes a storage without plants, for each test a new one; the test closes it
 * @param options see `TestPlantStorageOptions`
 * @throws RangeError when an option makes no sense
 *
 * @example Node's own test runner: node --test my-storage.test.ts
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
  { describe, it }: TestFramework,
  makeStorage: () => MaybePromise<PlantStorage>,
  { manyPlants = 1200 }: TestPlantStorageOptions = {},
): void {
  if (!Number.isInteger(manyPlants) || manyPlants < 100) {
    throw new RangeError(`manyPlants must be a whole number from 100 on, not ${manyPlants}`)
  }
  const many: Tests = {
    [`${manyPlants} plants of one owner are listed whole, at every boundary`]: (storage) =>
      holdsMany(storage, manyPlants),
  }

  describe('the contract of PlantStorage', () => {
    for (const tests of [creating, listing, deleting, owners, texts, anyOrder, concurrency]) {
      defineTests(tests, TEST_TIMEOUT_MS)
    }
    // A durable create takes a millisecond where each waits for the disk.
    defineTests(many, TEST_TIMEOUT_MS + manyPlants)
  })

  function defineTests(tests: Tests, timeoutMs: number): void {
    for (const [rule, run] of Object.entries(tests)) {
      it(
        rule,
        async () => {
          const storage = await makeStorage()
          try {
            await run(toSubject(storage))
          } catch (error) {
            if (!(error instanceof ContractViolation)) throw error
            error.message = `${error.message}\nThe contract: ${rule}.`
            throw error
          } finally {
            await storage.close?.()
          }
        },
        timeoutMs,
      )
    }
  }
}
