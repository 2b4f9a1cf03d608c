import { expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import type { PlantStorage } from '../../../src/plant-storage.ts'
import { failureOf } from '../../shared/failure-of.ts'

/** An error of a driver or a server: its message, or its members. */
type ErrorRow = string | object

/**
 * Tests which errors of a client mean that the storage is unavailable, and which are thrown as they are.
 *
 * @param storageWith makes a storage whose client rejects with an error
 */
export function describeErrors(
  storageWith: (error: Error) => PlantStorage,
  { unavailable, others }: { unavailable: ErrorRow[]; others: ErrorRow[] },
): void {
  async function call(row: ErrorRow) {
    const fields = typeof row === 'string' ? { message: row } : row
    const error = Object.assign(new Error('Something new'), fields)
    return { error, failure: await failureOf(storageWith(error).delete('alice', 1n)) }
  }

  it.each(unavailable)('means that the storage is unavailable: %j', async (row) => {
    const { error, failure } = await call(row)
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure.cause).toBe(error)
    expect(failure.message).toBe(error.message)
  })

  it.each(others)('is thrown as it is: %j', async (row) => {
    const { error, failure } = await call(row)
    expect(failure).toBe(error)
  })
}
