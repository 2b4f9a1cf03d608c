import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallerCache } from '../../../src/auth/shared/caller-cache.ts'

const START = 1_800_000_000_000
const callerOf = (owner: string) => ({ caller: { owner }, expires: START + 90_000 })

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => void vi.useRealTimers())

describe('createCallerCache', () => {
  it('keeps the newest 10 000 callers', () => {
    const callers = createCallerCache(60_000)
    for (let i = 0; i < 25_000; i++) callers.keep(`token${i}`, callerOf(`owner${i}`))
    for (let i = 0; i < 25_000; i++) {
      const expected = i < 15_000 ? undefined : { owner: `owner${i}` }
      expect(callers.find(`token${i}`)).toEqual(expected)
    }
  })

  it('keeps the newer of two callers on a token, as the newest of all', () => {
    const callers = createCallerCache(60_000)
    callers.keep('token', callerOf('alice'))
    for (let i = 0; i < 9998; i++) callers.keep(`token${i}`, callerOf('carol'))
    callers.keep('token', callerOf('bob'))
    for (const token of ['another', 'yet another']) callers.keep(token, callerOf('carol'))
    expect(callers.find('token')).toEqual({ owner: 'bob' })
    expect(callers.find('token0')).toBeUndefined()
  })

  it('keeps no caller whose token has more than 4096 characters', () => {
    const callers = createCallerCache(60_000)
    callers.keep('x'.repeat(4096), callerOf('alice'))
    callers.keep('x'.repeat(4097), callerOf('alice'))
    expect(callers.find('x'.repeat(4096))).toEqual({ owner: 'alice' })
    expect(callers.find('x'.repeat(4097))).toBeUndefined()
  })
})
