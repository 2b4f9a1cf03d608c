import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { mismatch } from '../shared/refuse.ts'
import { timeOf } from '../shared/time-of.ts'
import { PUBLIC_KEY_ALGORITHMS, SECRET_ALGORITHMS } from './algorithms.ts'

/** The codes of errors that mean that the token is bad. After any other error, it may still be good. */
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
 * Verifies a JWT and returns its claims, or the reason for which it is refused. Throws when the keys can't be fetched or
 * used, because that must not become a 401.
 */
export async function verifyJwt(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
): Promise<JWTPayload | string> {
  try {
    return (await jwtVerify(token, findKey, checks)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return toReason(token, error, checks)
    return verifyWithAny(token, error, checks)
  }
}

/** Verifies a token without `kid` that any of several keys may have signed. */
async function verifyWithAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<JWTPayload | string> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
        return toReason(token, error, checks)
      }
    }
  }
  return WRONG_SIGNATURE
}

const WRONG_SIGNATURE = 'no key has made its signature'

/** Returns why a token is bad. Throws any other error. */
function toReason(token: string, error: unknown, checks: JWTVerifyOptions): string {
  if (!(error instanceof errors.JOSEError) || !BAD_TOKEN.has(error.code)) throw error
  if (error instanceof errors.JWSSignatureVerificationFailed) return WRONG_SIGNATURE
  if (error instanceof errors.JWTExpired) return `it expired at ${timeOf(error.payload.exp)}`
  if (error instanceof errors.JWTClaimValidationFailed) return toClaimReason(token, error, checks)
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return mismatch('algorithm', knownAlgorithm(token), checks.algorithms)
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'the key set has no key with its kid and alg'
  return 'it is not a signed JWT'
}

/** Says which option a claim or the header's `typ` fails. The signature is good by then. */
function toClaimReason(
  token: string,
  { claim, payload }: errors.JWTClaimValidationFailed,
  { issuer, audience, typ }: JWTVerifyOptions,
): string {
  if (claim === 'nbf') return `it is not valid before ${timeOf(payload.nbf)}`
  if (claim === 'iss') return mismatch('issuer', payload.iss, issuer)
  if (claim === 'aud') return mismatch('audience', payload.aud, audience)
  if (claim === 'typ') return mismatch('typ', decodeProtectedHeader(token).typ, typ)
  return `the claim ${claim} is wrong or missing`
}

/** The token's algorithm if it is one that exists, since anybody can write text there. */
function knownAlgorithm(token: string): string | undefined {
  const { alg } = decodeProtectedHeader(token)
  return [...SECRET_ALGORITHMS, ...PUBLIC_KEY_ALGORITHMS, 'none'].find((name) => name === alg)
}
