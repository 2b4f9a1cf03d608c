import { describe, expect, it } from 'vitest'
import { RateLimitedError } from '../../src/index.ts'

describe('RateLimitedError', () => {
  it('has a name, a message and a cause, as other errors do', () => {
    const cause = new Error('The bucket is empty')
    const error = new RateLimitedError('Too fast', { retryAfterSeconds: 0, cause })
    expect(String(error)).toBe('RateLimitedError: Too fast')
    expect([error.cause, error.code, error.retryAfterSeconds]).toEqual([cause, 'rate_limited', 0])
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 53, '1'])('accepts whole seconds only: %o', (seconds) => {
    const got = typeof seconds === 'string' ? 'a string' : seconds
    expect(() => new RateLimitedError('', { retryAfterSeconds: seconds as number })).toThrow(
      new RangeError(
        `retryAfterSeconds must be a whole number from 0 to 9007199254740991; got ${got}`,
      ),
    )
  })
})
