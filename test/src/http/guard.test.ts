import { describe, expect, it } from 'vitest'
import { RateLimitedError } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { mounted, request } from '../mounted.ts'

describe('timeoutMs', () => {
  it('leaves no timer behind a call that has settled', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const { fetch } = mounted({ onError() {} }, memoryStorage(), async (token) => {
      if (token === 'a') return { owner: 'alice' }
      throw new Error('The identity provider is down')
    })
    const statusOf = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(request('/plants', { headers }))).status
    }
    for (const [token, status] of [
      ['a', 200],
      ['b', 503],
    ] as const) {
      const before = timers()
      for (let count = 0; count < 20; count++) expect(await statusOf(token)).toBe(status)
      expect(timers()).toBeLessThan(before + 20)
    }
  })
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
