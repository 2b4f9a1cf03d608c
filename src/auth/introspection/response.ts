import type { Claims } from '../shared/claims.ts'

/** Returns the response if it is valid (RFC 7662, section 2.2), or throws. */
export function readResponse(response: any): Claims {
  if (
    typeof response?.active === 'boolean' &&
    [response.exp, response.nbf].every((time) => time === undefined || Number.isFinite(time))
  ) {
    return response
  }
  throw new Error('The introspection response must be JSON as in RFC 7662; got something else')
}

/** Whether the token is valid now, for one of these audiences. */
export function isValid(claims: Claims, audiences?: readonly string[]): boolean {
  const { active, nbf = 0, aud, token_type: type = 'Bearer' } = claims
  const now = Date.now()
  if (!active || Number(nbf) * 1000 > now || expiry(claims) <= now) return false
  // Refuses tokens that need a proof (DPoP), and refresh tokens.
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return false
  return !audiences || [aud].flat().some((name) => audiences.includes(name as string))
}

/** When the token expires, in ms since 1970. */
export function expiry({ exp }: Claims): number {
  return exp === undefined ? Number.POSITIVE_INFINITY : Number(exp) * 1000
}
