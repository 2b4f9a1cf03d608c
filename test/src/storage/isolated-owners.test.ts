import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createIsolatedOwners } from '../../../src/storage/sqlite/isolated-owners.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('An owner shares commits again 10 s after a write of theirs was refused', () => {
  const { isolate, isolatedOwner } = createIsolatedOwners()
  isolate('alice')
  expect(isolatedOwner('alice', performance.now() + 9999)).toBe('alice')
  expect(isolatedOwner('alice', performance.now() + 10_000)).toBeUndefined()
})

it('No more than 1000 owners are remembered', () => {
  const { isolate, isolatedOwner } = createIsolatedOwners()
  for (let owner = 0; owner < 1000; owner++) isolate(`owner ${owner}`)
  expect(isolatedOwner('owner 0', performance.now())).toBe('owner 0')
  isolate('owner 1000')
  expect(isolatedOwner('owner 0', performance.now())).toBeUndefined()
  expect(isolatedOwner('owner 1000', performance.now())).toBe('owner 1000')
})
