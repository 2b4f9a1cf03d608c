import { kindOf } from '../../lib/arguments.ts'
import type { Claims } from '../shared/claims.ts'
import { serviceError } from '../shared/fetch-json.ts'
import { mismatch } from '../shared/refuse.ts'
import { timeOf } from '../shared/time-of.ts'

/**
 * Members for which null means missing: Janssen Server sends `"nbf": null` and `"cnf": null`. Not `scope`, where null
 * grants nothing, but a missing scope grants everything.
 */
const NULLABLE = ['cnf', 'exp', 'nbf', 'token_type']

/** Returns a valid response (RFC 7662, section 2.2) of the endpoint, without the nulls that mean missing, or throws. */
export function readResponse(response: any, endpoint: URL): Claims {
  const claims = kindOf(response) === 'an object' ? omitNulls(response) : response
  const fault = findFault(claims)
  if (fault === undefined) return claims
  const expected = 'expected a JSON object as in RFC 7662'
  throw serviceError('endpoint', endpoint, `responded with ${fault}; ${expected}`)
}

function omitNulls(response: object): Claims {
  const members = Object.entries(response)
  return Object.fromEntries(
    members.filter(([name, value]) => value !== null || !NULLABLE.includes(name)),
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
  return value === undefined || Number.isFinite(value)
}

/** Returns the reason for which the token is not valid now, for one of these audiences; undefined if it is. */
export function findRefusal(claims: Claims, audiences?: readonly string[]): string | undefined {
  const { active, nbf = 0, aud, token_type: type = 'Bearer' } = claims
  const now = Date.now()
  if (!active) return 'the authorization server says that it is not active'
  if (Number(nbf) * 1000 > now) return `it is not valid before ${timeOf(nbf)}`
  if (expiry(claims) <= now) return `it expired at ${timeOf(claims.exp)}`
  // Refuses tokens that need a proof (DPoP), and refresh tokens.
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return mismatch('token_type', type, 'Bearer')
  }
  if (!audiences || [aud].flat().some((name) => audiences.includes(name as string)))
    return undefined
  return mismatch('audience', aud, audiences)
}

/** When the token expires, in ms since 1970. */
export function expiry({ exp }: Claims): number {
  return exp === undefined ? Number.POSITIVE_INFINITY : Number(exp) * 1000
}
