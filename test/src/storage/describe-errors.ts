import { expect, it, vi } from 'vitest'
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
  it.each(unavailable)('means that the storage is unavailable: %j', async (row) => {
    const error = errorOf(row)
    const failure = await failureOf(storageWith(error).delete('alice', 1n))
    expect(failure).toBeInstanceOf(StorageUnavailableError)
    expect(failure.cause).toBe(error)
    expect(failure.message).toBe(error.message)
  })

  it.each(others)('is thrown as it is: %j', async (row) => {
    const error = errorOf(row)
    expect(await failureOf(storageWith(error).delete('alice', 1n))).toBe(error)
  })
}

/**
 * Tests how often a statement is sent that fails.
 *
 * @param storageWhere makes a storage on a database without tables, whose client fails to read, or to create the table
 */
export function describeTries(
  storageWhere: (
    fails: 'read' | 'change',
    fail: () => Promise<never>,
  ) => { migrate(): Promise<void> },
  rows: [times: number, fails: 'read' | 'change', error: ErrorRow][],
): void {
  it.each(rows)('is met by sending a statement %i times: a %s, %j', async (times, fails, row) => {
    const fail = vi.fn(() => Promise.reject(errorOf(row)))
    await failureOf(storageWhere(fails, fail).migrate())
    expect(fail).toHaveBeenCalledTimes(times)
  })
}

function errorOf(row: ErrorRow): Error {
  return Object.assign(new Error('Something new'), typeof row === 'string' ? { message: row } : row)
}
