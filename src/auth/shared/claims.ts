import type { Caller, Scope } from '../../auth-verifier.ts'
import { isOwner, SCOPES } from '../../auth-verifier.ts'

/** What an issuer says of a token: the payload of a JWT, the answer of an introspection. */
export type Claims = Readonly<Record<string, unknown>>

/** Which claims say whose the token is and what it may do. */
export interface ClaimOptions {
  /**
   * The owner: a claim's name, or a function of all claims. A token whose owner is no string, an empty
   * one, or one with U+0000 or a lone surrogate, is not valid. Default: `sub`.
   */
  owner?: string | ((claims: Claims) => string | null | undefined)
  /**
   * The scopes: a claim's name, or a function of all claims. A claim is read as a list or as text
   * with spaces between; what is neither `plants:read` nor `plants:write` is left out.
   *
   * Default: `scope`, or else `scp`; and a token with neither claim may do everything. When the issuer
   * can leave the claim out of a token that was granted nothing, name the claim: a token without a
   * claim that was named may do nothing.
   */
  scopes?: string | ((claims: Claims) => readonly Scope[])
}

/** Makes the Caller of verified claims, or `null` where they name no owner. */
export function readCaller(claims: Claims, { owner = 'sub', scopes }: ClaimOptions): Caller | null {
  // Bound to a key that its holder has to prove (RFC 9449, RFC 8705): stolen, it must not pass without.
  if (claims.cnf !== undefined) return null

  const who = typeof owner === 'function' ? owner(claims) : claims[owner]
  if (!isOwner(who)) return null

  const granted = readGranted(claims, scopes)
  // Frozen, since one that is kept is handed out many times.
  return Object.freeze(granted === undefined ? { owner: who } : { owner: who, scopes: granted })
}

function readGranted(claims: Claims, scopes: ClaimOptions['scopes']): readonly Scope[] | undefined {
  if (typeof scopes === 'function') return readScopes(scopes(claims))
  if (scopes !== undefined) return readScopes(claims[scopes])
  const granted = claims.scope === undefined ? claims.scp : claims.scope
  return granted === undefined ? undefined : readScopes(granted)
}

/** Nothing that is misunderstood may grant something. */
function readScopes(value: unknown): readonly Scope[] {
  const names = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
  return Object.freeze(names.filter((name): name is Scope => SCOPES.includes(name)))
}
