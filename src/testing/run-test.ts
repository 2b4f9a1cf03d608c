import type { MaybePromise } from '../maybe-promise.ts'
import type { PlantStorage } from '../plant-storage.ts'
import { findLeftovers } from './leftovers.ts'
import { type StorageUnderTest, wrapStorage } from './storage-under-test.ts'
import { ContractViolation, show } from './violation.ts'

/** Runs one test of the contract on a new storage, then closes it. */
export async function runTest(
  rule: string,
  test: (storage: StorageUnderTest) => Promise<void>,
  makeStorage: () => MaybePromise<PlantStorage>,
): Promise<void> {
  const storage = await makeStorage()
  assertStorage(storage)
  const checked = wrapStorage(storage)
  try {
    await test(checked).finally(() => storage.close?.())
  } catch (error) {
    if (!(error instanceof ContractViolation)) throw error
    // If the storage can't be probed, report the violation itself.
    const problem = await findLeftovers(makeStorage, checked.owners).catch(() => undefined)
    if (problem) throw new ContractViolation(problem, { cause: error })
    error.message = `${error.message}\nViolated rule: ${rule}.`
    throw error
  }
}

function assertStorage(storage: unknown): void {
  const { create, list, delete: remove } = Object(storage) as Partial<PlantStorage>
  if ([create, list, remove].every((method) => typeof method === 'function')) return
  throw new TypeError(
    `makeStorage must return a storage with the methods create, list and delete; got ${show(storage)}`,
  )
}
