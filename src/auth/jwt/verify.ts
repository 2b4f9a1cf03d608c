import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'

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
 * Verifies a JWT and returns its claims, or null for a bad token. Throws when the keys can't be fetched or used,
 * because that must not become a 401.
 */
export async function verifyJwt(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
): Promise<JWTPayload | null> {
  try {
    return (await jwtVerify(token, findKey, checks)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return nullForBadToken(error)
    return verifyWithAny(token, error, checks)
  }
}

/** Verifies a token without `kid` that any of several keys may have signed. */
async function verifyWithAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<JWTPayload | null> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, checks)).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return nullForBadToken(error)
    }
  }
  return null
}

function nullForBadToken(error: unknown): null {
  if (error instanceof errors.JOSEError && BAD_TOKEN.has(error.code)) return null
  throw error
}
