import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { failureOf } from '../../shared/failure-of.ts'

beforeEach(() => {
  vi.useFakeTimers()
  vi.advanceTimersByTime(10_000)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A statement that is rolled back because of concurrent ones, after so long. */
function rolledBackAfter(ms: number, error: object) {
  return vi.fn(
    () =>
      new Promise<never>((_, reject) =>
        setTimeout(() => reject(Object.assign(new Error('Deadlock'), error)), ms),
      ),
  )
}

const onPostgres = (query: () => Promise<never>) => postgresStorage({ query })
const onMysql = (execute: () => Promise<never>) => mysqlStorage({ execute })

describe.each([
  ...['40001', '40P01', 'P2034', '57P05'].map((code) => ({ error: { code }, open: onPostgres })),
  ...[1205, 1213, 1020, 3101, 1615, 9007].map((errno) => ({ error: { errno }, open: onMysql })),
])('a statement that is rolled back with $error', ({ error, open }) => {
  it.each([
    { ms: 10, tries: 5 },
    { ms: 2000, tries: 3 },
    { ms: 6000, tries: 1 },
  ])('after $ms ms is tried $tries times', async ({ ms, tries }) => {
    const statement = rolledBackAfter(ms, error)
    const failure = failureOf(open(statement).delete('alice', 1n))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await failure).toBeInstanceOf(StorageUnavailableError)
    expect(statement).toHaveBeenCalledTimes(tries)
  })
})
