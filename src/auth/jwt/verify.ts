import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { shown } from '../shared/refuse.ts'
import { timeOf } from '../shared/time-of.ts'

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
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return toReason(error, checks)
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
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return toReason(error, checks)
    }
  }
  return WRONG_SIGNATURE
}

const WRONG_SIGNATURE = 'no key has made its signature'

/** Returns why a token is bad. Throws any other error. */
function toReason(error: unknown, checks: JWTVerifyOptions): string {
  if (!(error instanceof errors.JOSEError) || !BAD_TOKEN.has(error.code)) throw error
  if (error instanceof errors.JWSSignatureVerificationFailed) return WRONG_SIGNATURE
  if (error instanceof errors.JWTExpired) return `it expired at ${timeOf(error.payload.exp)}`
  if (error instanceof errors.JWTClaimValidationFailed) return toClaimReason(error, checks)
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return `algorithm is not allowed; expected ${checks.algorithms?.join(' or ')}`
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'the key set has no key with its kid and alg'
  return 'it is not a JWT'
}

/** Names the option that a claim fails, what the claim is, and what was expected. */
function toClaimReason(
  { claim, payload }: errors.JWTClaimValidationFailed,
  { issuer, audience, typ }: JWTVerifyOptions,
): string {
  if (claim === 'nbf') return `it is not valid before ${timeOf(payload.nbf)}`
  const [option, expected] =
    { iss: ['issuer', issuer], aud: ['audience', audience], typ: ['typ', typ] }[claim] ?? []
  if (option === undefined) return `the claim ${claim} is wrong or missing`
  const wanted = [expected].flat().map(shown).join(' or ')
  // jose doesn't tell the header's typ.
  return claim === 'typ'
    ? `typ is another one, expected ${wanted}`
    : `${option} is ${shown(payload[claim])}, expected ${wanted}`
}
