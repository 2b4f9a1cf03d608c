import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallerCache } from '../../../src/auth/shared/cached-verifier.ts'

const START = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => void vi.useRealTimers())

describe('createCallerCache', () => {
  it('keeps the newest 10 000 callers', () => {
    const callers = createCallerCache(60_000)
    for (let i = 0; i < 25_000; i++)
      callers.keep(`token${i}`, { owner: `owner${i}` }, START + 90_000)
    for (let i = 0; i < 25_000; i++) {
      const expected = i < 15_000 ? undefined : { owner: `owner${i}` }
      expect(callers.find(`token${i}`)).toEqual(expected)
    }
  })

  it('keeps no caller whose token has more than 4096 characters', () => {
    const callers = createCallerCache(60_000)
    callers.keep('x'.repeat(4096), { owner: 'alice' }, START + 90_000)
    callers.keep('x'.repeat(4097), { owner: 'alice' }, START + 90_000)
    expect(callers.find('x'.repeat(4096))).toEqual({ owner: 'alice' })
    expect(callers.find('x'.repeat(4097))).toBeUndefined()
  })
})
