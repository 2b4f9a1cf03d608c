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
 * Throws unless the algorithm is allowed. Call it before looking for a key. jose's own option makes a Set for each
 * token, which takes 0.6 µs (npm run bench -- jwt).
 */
export function assertAlgorithm(allowed: ReadonlySet<string>, algorithm: string): void {
  if (!allowed.has(algorithm)) throw new errors.JOSEAlgNotAllowed()
}

/**
 * Verifies a JWT's signature and claims, but not its algorithm (see `assertAlgorithm`), and passes the claims to `use`.
 * Returns null for a bad token. Throws when the keys can't be fetched or used, because that must not become a 401.
 */
export function verifyJwt<T>(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
  use: (claims: JWTPayload) => T,
): Promise<T | null> {
  return jwtVerify(token, findKey, checks).then(
    ({ payload }) => use(payload),
    async (error) => {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return nullForBadToken(error)
      const claims = await verifyWithAny(token, error, checks)
      return claims && use(claims)
    },
  )
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
