import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createVerdictCache } from '../../../src/auth/shared/verdict-cache.ts'

const START = 1_800_000_000_000
const verdictOn = (owner: string) => ({ caller: { owner }, expires: START + 90_000 })

beforeEach(() => void vi.useFakeTimers({ now: START }))
afterEach(() => void vi.useRealTimers())

describe('createVerdictCache', () => {
  it('keeps the newest 10 000 verdicts', () => {
    const verdicts = createVerdictCache(60_000)
    for (let i = 0; i < 25_000; i++) verdicts.keep(`token${i}`, verdictOn(`owner${i}`))
    for (let i = 0; i < 25_000; i++) {
      const expected = i < 15_000 ? undefined : { owner: `owner${i}` }
      expect(verdicts.find(`token${i}`)).toEqual(expected)
    }
  })

  it('keeps the newer of two verdicts on a token, as the newest of all', () => {
    const verdicts = createVerdictCache(60_000)
    verdicts.keep('token', verdictOn('alice'))
    for (let i = 0; i < 9999; i++) verdicts.keep(`token${i}`, verdictOn('carol'))
    verdicts.keep('token', verdictOn('bob'))
    verdicts.keep('another', verdictOn('carol'))
    expect(verdicts.find('token')).toEqual({ owner: 'bob' })
    expect(verdicts.find('token0')).toBeUndefined()
  })

  it('keeps no verdict on a token of more than 4096 characters', () => {
    const verdicts = createVerdictCache(60_000)
    verdicts.keep('x'.repeat(4096), verdictOn('alice'))
    verdicts.keep('x'.repeat(4097), verdictOn('alice'))
    expect(verdicts.find('x'.repeat(4096))).toEqual({ owner: 'alice' })
    expect(verdicts.find('x'.repeat(4097))).toBeUndefined()
  })
})
