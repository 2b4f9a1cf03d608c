import { kindOf } from '../../lib/kind-of.ts'
import type { Claims } from '../shared/claims.ts'

/**
 * Members that Janssen Server sends as null for a token that has none. A missing scope would grant everything, so null
 * remains there, which grants nothing.
 */
const MAY_BE_NULL = ['cnf', 'exp', 'nbf', 'token_type']

/** Returns the response, without members that are null, if it is valid (RFC 7662, section 2.2), or throws. */
export function readResponse(response: any): Claims {
  const fault = findFault(response)
  if (fault !== undefined) {
    throw new Error(`The introspection response must be a JSON object as in RFC 7662; got ${fault}`)
  }
  const members = Object.entries(response)
  return Object.fromEntries(
    members.filter(([name, value]) => value !== null || !MAY_BE_NULL.includes(name)),
  )
}

/** Names what is wrong, without its content, which may name the owner. */
function findFault(response: any): string | undefined {
  const kind = kindOf(response)
  if (kind !== 'an object') return kind
  const { active, exp, nbf } = response
  if (typeof active !== 'boolean') return `active: ${kindOf(active)}`
  if (!isTime(exp)) return `exp: ${kindOf(exp)}`
  if (!isTime(nbf)) return `nbf: ${kindOf(nbf)}`
  return undefined
}

function isTime(value: unknown): boolean {
  return value === undefined || value === null || Number.isFinite(value)
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
