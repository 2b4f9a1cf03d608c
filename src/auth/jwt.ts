import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { Caller } from '../auth-verifier.ts'
import { type JwtAlgorithm, type JwtKeyOptions, readKeys } from './jwt/keys.ts'
import { type ClaimOptions, readCaller } from './shared/claims.ts'
import { MAX_TOKEN_LENGTH } from './shared/token-length.ts'

export type { JwtAlgorithm, JwtKeyOptions } from './jwt/keys.ts'
export type { ClaimOptions, Claims } from './shared/claims.ts'

/** The options of `jwtVerifier`: a key, who must have issued the token, and for whom. */
export type JwtVerifierOptions = JwtKeyOptions & ClaimOptions & JwtChecks

/** What a token must be beside well signed. */
export interface JwtChecks {
  /** What `iss` must be, exactly; `false` lets tokens of every issuer in that has the key. */
  issuer: string | false
  /**
   * What `aud` must be or contain: this service, and never the whole organisation; `false` lets in
   * tokens that were meant for others too.
   */
  audience: string | readonly string[] | false
  /** The algorithms allowed. Default: all that fit the key; never `none`. */
  algorithms?: readonly JwtAlgorithm[]
  /** What the header's `typ` must be, such as `at+jwt` (RFC 9068). Default: it isn't looked at. */
  typ?: string
  /** By how many seconds the clocks may differ for `exp` and `nbf`. Default: 0. */
  clockTolerance?: number
}

const BAD_TOKEN = new Set([
  errors.JOSEAlgNotAllowed.code,
  errors.JOSENotSupported.code,
  errors.JWKSNoMatchingKey.code,
  errors.JWSInvalid.code,
  errors.JWSSignatureVerificationFailed.code,
  errors.JWTClaimValidationFailed.code,
  errors.JWTExpired.code,
  errors.JWTInvalid.code,
])

/**
 * Verifies JWTs (RFC 7519) as RFC 8725 asks for, with jose, which the app has to install: signed with
 * an algorithm that fits the key, unexpired (`exp` has to be there), of this issuer, for this audience.
 * Keys that a token brings or points to (`jwk`, `jku`, `x5c`, `x5u`) are never used.
 *
 * A JWKS with a URL is fetched when first needed and every 10 minutes, and again when a token names a
 * key that isn't in it, 30 seconds after the last time at the earliest. While it can't be had, or has no
 * keys, the client gets 503 `auth_unavailable`, and it is asked for once a second at most.
 *
 * A token that is bound to its holder's key (`cnf`) is not valid here: nobody would check the proof.
 *
 * @param options one of `jwks` (URL, or the key set itself), `publicKey` (PEM, JWK, CryptoKey or
 *   KeyObject) and `secret` (at least 32 bytes; a string is taken as UTF-8); `issuer` and `audience`,
 *   which `false` waives; see `JwtChecks` and `ClaimOptions` for the rest
 * @throws TypeError or RangeError when an option is missing or makes no sense
 *
 * @example
 * ```ts
 * const store = createPlantStore(
 *   storage,
 *   jwtVerifier({
 *     jwks: 'https://login.example/.well-known/jwks.json',
 *     issuer: 'https://login.example/',
 *     audience: 'https://plants.example',
 *   }),
 * )
 * ```
 */
export function jwtVerifier(
  options: JwtVerifierOptions,
): (token: string) => Promise<Caller | null> {
  const { owner, scopes } = options
  const { findKey, allowed } = readKeys(options)
  const checks = readChecks(options, allowed)

  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return null
    const claims = await verify(token, findKey, checks).catch(nullForBadToken)
    // exp has to be there, and to JSON.parse 1e999 is Infinity: a token for ever.
    return Number.isFinite(claims?.exp) ? readCaller(claims!, { owner, scopes }) : null
  }
}

function readChecks(
  { issuer, audience, algorithms, typ, clockTolerance = 0 }: JwtChecks,
  allowed: readonly JwtAlgorithm[],
): JWTVerifyOptions {
  if (issuer !== false && !isText(issuer)) {
    throw new TypeError('issuer must be what iss has to be, or false for any issuer')
  }
  const audiences = typeof audience === 'string' ? [audience] : audience
  if (audiences !== false && !(audiences?.length > 0 && audiences.every(isText))) {
    throw new TypeError('audience must be what aud has to be, or false for any audience')
  }
  const unfit = algorithms?.find((name) => !allowed.includes(name))
  if (unfit !== undefined || algorithms?.length === 0) {
    throw new RangeError(`algorithms must be some of ${allowed.join(', ')} with this key`)
  }
  if (!(clockTolerance >= 0 && clockTolerance < Number.POSITIVE_INFINITY)) {
    throw new RangeError('clockTolerance must be a number of seconds, 0 or more')
  }
  return {
    algorithms: [...(algorithms ?? allowed)],
    clockTolerance,
    ...(issuer !== false && { issuer }),
    ...(audiences !== false && { audience: [...audiences] }),
    ...(typ !== undefined && { typ }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

async function verify(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, findKey, checks)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // A token without kid, and several keys that may have signed it.
    let reason: unknown = new errors.JWSSignatureVerificationFailed()
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, checks)).payload
      } catch (failure) {
        // A key that can't be used, such as a short one: another one may have signed.
        if (!(failure instanceof errors.JOSEError)) reason = failure
        else if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw reason
  }
}

/** What is not the token's fault leaves open whose it is: that must not become a 401. */
function nullForBadToken(error: unknown): null {
  if (error instanceof errors.JOSEError && BAD_TOKEN.has(error.code)) return null
  throw error
}
