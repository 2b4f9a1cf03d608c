import {
  decodeProtectedHeader,
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { assertWholeNumber, kindOf } from '../../lib/arguments.ts'
import { type Claims, isNonEmptyString, mismatch, readAudiences, timeOf } from '../shared/claims.ts'
import { ServiceError } from '../shared/service.ts'
import { type JwtAlgorithm, KeyError, PUBLIC_KEY_ALGORITHMS, SECRET_ALGORITHMS } from './keys.ts'

/** The checks besides the signature, and how long a token that has passed them is cached. */
export interface JwtChecks {
  /** The exact value of `iss`. `false` accepts any issuer that signs with these keys. */
  issuer: string | false
  /**
   * The value that `aud` must be or contain: the name of this service, not of the whole organisation.
   * `false` accepts tokens that were issued for other services too.
   */
  audience: string | readonly string[] | false
  /** The allowed algorithms. Those that don't fit the key are ignored. Default: all that fit. `none` is never allowed. */
  algorithms?: readonly JwtAlgorithm[] | undefined
  /** The value of the header's `typ`, for example `at+jwt` (RFC 9068). Default: not checked. */
  typ?: string | undefined
  /** The tolerated clock difference for `exp` and `nbf`, in seconds, from 0 to 3600. Default: 0. */
  clockToleranceSeconds?: number | undefined
  /**
   * The time that a verified token is accepted without verifying it again, in ms, from 0 (never) to 3 600 000.
   * Functions given as `owner` and `scopes` are called once in that time. Default: 60 000.
   */
  cacheMs?: number | undefined
}

/** More is likely a mistake: an expired token would be accepted that long. */
const MAX_CLOCK_TOLERANCE_SECONDS = 3600

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
  const allowed = supported.filter((name) => algorithms?.includes(name) ?? true)
  if (allowed.length === 0) {
    throw new RangeError(`algorithms must be some of ${supported.join(', ')} with this key`)
  }
  assertWholeNumber('clockToleranceSeconds', clockToleranceSeconds, 0, MAX_CLOCK_TOLERANCE_SECONDS)
  return {
    algorithms: allowed,
    clockTolerance: clockToleranceSeconds,
    issuer: issuer || undefined,
    audience:
      audience === false ? undefined : readAudiences(audience, ', or false to accept any audience'),
    typ,
  }
}

const WRONG_SIGNATURE = 'no key has made its signature'
const NOT_A_JWT = 'it is not a signed JWT'
const NO_KEY = 'no usable key has its kid and alg'

/** Base64url without padding and unused bits (RFC 4648, section 3.5): others would spell one token in several ways. */
const CANONICAL_SIGNATURE = /\.(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/

/**
 * Verifies a JWT and returns its claims, or the reason for which it is refused. Throws when the keys can't be fetched or
 * used, because that must not become a 401.
 */
export async function verifyJwt(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
): Promise<Claims | string> {
  if (!CANONICAL_SIGNATURE.test(token)) return NOT_A_JWT
  try {
    const { payload } = await jwtVerify(token, findKey, checks)
    // jose accepts a token without exp. JSON.parse reads 1e999 as Infinity, which would never expire.
    return Number.isFinite(payload.exp) ? payload : 'it has no exp'
  } catch (error) {
    if (error instanceof ServiceError || error instanceof KeyError) throw error
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, checks)
    return toReason(token, error, checks)
  }
}

/** Verifies a token without `kid` that any of several keys may have signed. */
async function verifyWithAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<Claims | string> {
  for await (const key of keys) {
    const claims = await verifyJwt(token, () => key, checks)
    if (claims !== WRONG_SIGNATURE && claims !== NO_KEY) return claims
  }
  return WRONG_SIGNATURE
}

function toReason(token: string, error: unknown, checks: JWTVerifyOptions): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return WRONG_SIGNATURE
  if (error instanceof errors.JWTExpired) return `it expired at ${timeOf(error.payload.exp)}`
  if (error instanceof errors.JWTClaimValidationFailed) return toClaimReason(token, error, checks)
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return NOT_A_JWT
  // A key that is private, malformed, too short or of another kind makes jose throw many kinds of errors. Any forged token
  // could cause them, so they must not become a 503.
  if (!(error instanceof errors.JOSEAlgNotAllowed)) return NO_KEY
  // The token's algorithm only if it is one that exists, since a forged token may have any text there.
  const { alg } = decodeProtectedHeader(token)
  const known = [...SECRET_ALGORITHMS, ...PUBLIC_KEY_ALGORITHMS, 'none'].find(
    (name) => name === alg,
  )
  return mismatch('algorithm', known, checks.algorithms)
}

/** Says which option a claim or the header's `typ` fails. The signature is good by then. */
function toClaimReason(
  token: string,
  { claim, payload, reason }: errors.JWTClaimValidationFailed,
  { issuer, audience, typ }: JWTVerifyOptions,
): string {
  if (claim === 'iss') return mismatch('issuer', payload.iss, issuer)
  if (claim === 'aud') return mismatch('audience', payload.aud, audience)
  if (claim === 'typ') return mismatch('typ', decodeProtectedHeader(token).typ, typ)
  if (reason === 'check_failed') return `it is not valid before ${timeOf(payload.nbf)}`
  return `the claim ${claim} must be a number; got ${kindOf(payload[claim])}`
}
