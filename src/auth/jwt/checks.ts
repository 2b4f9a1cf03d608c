import type { JWTVerifyOptions } from 'jose'
import { kindOf } from '../../lib/arguments.ts'
import { readAudiences } from '../shared/audiences.ts'
import { isNonEmptyString } from '../shared/is-non-empty-string.ts'
import type { JwtAlgorithm } from './algorithms.ts'

/** The checks besides the signature. */
export interface JwtChecks {
  /** The exact value of `iss`. `false` accepts any issuer that signs with these keys. */
  issuer: string | false
  /**
   * The value that `aud` must be or contain: the name of this service, not of the whole organisation.
   * `false` accepts tokens that were issued for other services too.
   */
  audience: string | readonly string[] | false
  /** The allowed algorithms. Default: all that fit the key. `none` is never allowed. */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /** The value of the header's `typ`, such as `at+jwt` (RFC 9068). Default: not checked. */
  typ?: string | undefined
  /** The tolerated clock difference for `exp` and `nbf`, in seconds. Default: 0. */
  clockToleranceSeconds?: number | undefined
}

/**
 * Reads the checks, for jose. Throws a TypeError or RangeError that says what is wrong with them.
 *
 * @param supported the algorithms that the key supports
 */
export function readChecks(
  { issuer, audience, algorithms, typ, clockToleranceSeconds = 0 }: JwtChecks,
  supported: readonly JwtAlgorithm[],
): JWTVerifyOptions {
  if (issuer !== false && !isNonEmptyString(issuer)) {
    throw new TypeError(
      `issuer must be the value of iss, or false to accept any issuer; got ${kindOf(issuer)}`,
    )
  }
  const audiences =
    audience === false ? false : readAudiences(audience, ', or false to accept any audience')
  if (typ !== undefined && !isNonEmptyString(typ)) {
    throw new TypeError(`typ must be a string that is not empty; got ${kindOf(typ)}`)
  }
  if (!Number.isFinite(clockToleranceSeconds) || clockToleranceSeconds < 0) {
    const got =
      typeof clockToleranceSeconds === 'number'
        ? clockToleranceSeconds
        : kindOf(clockToleranceSeconds)
    throw new RangeError(`clockToleranceSeconds must be a number, 0 or more; got ${got}`)
  }
  return {
    algorithms: readAlgorithms(algorithms, supported),
    clockTolerance: clockToleranceSeconds,
    ...(issuer !== false && { issuer }),
    ...(audiences !== false && { audience: audiences }),
    ...(typ !== undefined && { typ }),
  }
}

function readAlgorithms(algorithms: unknown, supported: readonly JwtAlgorithm[]): string[] {
  if (algorithms === undefined) return [...supported]
  if (!Array.isArray(algorithms)) {
    throw new TypeError(`algorithms must be an array such as ['RS256']; got ${kindOf(algorithms)}`)
  }
  const unsupported = algorithms.filter((name) => !supported.includes(name))
  if (algorithms.length > 0 && unsupported.length === 0) return [...algorithms]
  const got = unsupported.map((name) => (typeof name === 'string' ? name : kindOf(name))).join(', ')
  throw new RangeError(
    `algorithms must be some of ${supported.join(', ')} with this key; got ${got || 'an empty array'}`,
  )
}
