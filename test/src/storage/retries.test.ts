import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageUnavailableError } from '../../../src/errors.ts'
import { mysqlStorage } from '../../../src/storage/mysql.ts'
import { postgresStorage } from '../../../src/storage/postgres.ts'
import { failureOf } from '../../shared/failure-of.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe.each([
  ['PostgreSQL', { code: '40001' }, (query: () => Promise<never>) => postgresStorage({ query })],
  ['MySQL', { errno: 1205 }, (execute: () => Promise<never>) => mysqlStorage({ execute })],
])('a statement that %s rolls back because of concurrent ones', (_, error, open) => {
  it.each([
    { ms: 10, tries: 5 },
    { ms: 2000, tries: 3 },
    { ms: 6000, tries: 1 },
  ])('after $ms ms is tried $tries times', async ({ ms, tries }) => {
    const statement = vi.fn(
      () =>
        new Promise<never>((_, reject) =>
          setTimeout(() => reject(Object.assign(new Error('Deadlock'), error)), ms),
        ),
    )
    const failure = failureOf(open(statement).delete('alice', 1n))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await failure).toBeInstanceOf(StorageUnavailableError)
    expect(statement).toHaveBeenCalledTimes(tries)
  })
})
