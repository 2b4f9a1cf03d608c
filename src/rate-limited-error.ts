import { assertOptions, assertWholeNumber } from './lib/check-options.ts'

/** The options of `RateLimitedError`. */
export interface RateLimitedErrorOptions extends ErrorOptions {
  /** When the client may retry, in seconds, as `Retry-After` tells it. A whole number. Default: 1. */
  retryAfterSeconds?: number | undefined
}

/**
 * Thrown by a verifier, or by a wrapper around a storage, for a caller that exceeds its rate. The client
 * gets 429 `rate_limited` (RFC 6585, section 4). The core recognises it by its `code`.
 *
 * @param message for your logs; the client gets the message of the catalogue
 * @throws RangeError when `retryAfterSeconds` is not a whole number of 0 or more
 *
 * @example
 * ```ts
 * const limited: AuthVerifier = async (token, context) => {
 *   if (!bucket.take(token)) throw new RateLimitedError('More than 10 a second', { retryAfterSeconds: 7 })
 *   return verify(token, context)
 * }
 * ```
 */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError'
  /** Stable: compare this rather than the class. */
  readonly code = 'rate_limited'
  /** When the client may retry, in seconds. */
  readonly retryAfterSeconds: number

  constructor(
    message?: string,
    { retryAfterSeconds = 1, ...options }: RateLimitedErrorOptions = {},
  ) {
    super(message, options)
    assertOptions('RateLimitedError', options, ['retryAfterSeconds', 'cause'])
    assertWholeNumber('retryAfterSeconds', retryAfterSeconds, 0, Number.MAX_SAFE_INTEGER)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
