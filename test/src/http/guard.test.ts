import { describe, expect, it, vi } from 'vitest'
import { RateLimitedError } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mounted, request } from '../mounted.ts'

it('a call that fails leaves no timer behind', async () => {
  vi.useFakeTimers()
  const verify = () => Promise.reject(new Error('The identity provider is down'))
  const { fetch } = mounted({ onError() {} }, memoryStorage(), verify)
  expect((await fetch(request('/plants'))).status).toBe(503)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('an error that says the rate is limited', () => {
  it.each([
    [new RateLimitedError('Too fast'), '1'],
    [new RateLimitedError('Too fast', { retryAfterSeconds: 7 }), '7'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: 9 }), '9'],
    [Object.assign(new Error('Too fast'), { code: 'rate_limited', retryAfterSeconds: 'x' }), '1'],
  ])('is a 429 with Retry-After, and onError is not called: %o', async (error, seconds) => {
    const errors: unknown[] = []
    const list = () => {
      throw error
    }
    const options = { onError: (error: unknown) => void errors.push(error) }
    const response = await mounted(options, { ...memoryStorage(), list }).fetch(request('/plants'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, seconds])
    expect((await response.json()).error).toBe(42901)
    expect(errors).toEqual([])
  })
})
