import { type Caller, isOwner, type Scope } from '../../auth-verifier.ts'
import { kindOf } from '../../lib/arguments.ts'

/** The claims of a token: the payload of a JWT, or an introspection response. */
export type Claims = Readonly<Record<string, unknown>>

/** The claims that hold the owner and the scopes. */
export interface ClaimOptions {
  /**
   * The owner: the name of a claim, or a function of all claims. A token is invalid if its owner is not
   * a string, is empty, or contains U+0000 or a lone surrogate. Default: `sub`.
   */
  owner?: string | ((claims: Claims) => string | null | undefined) | undefined
  /**
   * The scopes: the name of a claim, or a function of all claims. A claim is a list, or a string with
   * spaces as separators. Scopes other than `plants:read` and `plants:write` grant nothing.
   *
   * Default: `scope`, or `scp` if there is no `scope`. A token with neither claim is granted all scopes.
   * If your issuer omits the claim from tokens that were granted nothing, name the claim here: then a
   * token without it is granted nothing.
   */
  scopes?: string | ((claims: Claims) => readonly Scope[]) | undefined
}

/** Throws a TypeError unless `owner` and `scopes` are names of claims, functions or undefined. */
export function assertClaimOptions({ owner, scopes }: ClaimOptions): void {
  for (const [option, value] of Object.entries({ owner, scopes })) {
    if (value === undefined || typeof value === 'function' || isNonEmptyString(value)) continue
    throw new TypeError(
      `${option} must be the name of a claim, or a function; got ${kindOf(value)}`,
    )
  }
}

/**
 * Reads the option `audience`: the value of `aud`, or several.
 *
 * @param others what else the option may be, for the message
 */
export function readAudiences(audience: unknown, others = ''): string[] {
  const audiences = [audience].flat()
  if (audiences.length > 0 && audiences.every(isNonEmptyString)) return audiences
  throw new TypeError(
    `audience must be the value or values of aud${others}; got ${kindOf(audience)}`,
  )
}

/** Whether the value is a string that is not empty. */
export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Reads the Caller from verified claims, or returns the reason for which they are refused. */
export function readCaller(
  claims: Claims,
  { owner = 'sub', scopes }: ClaimOptions,
): Caller | string {
  // Sender-constrained (RFC 9449, RFC 8705): refused, since possession can't be checked here.
  if (claims.cnf !== undefined) return 'it is sender-constrained (cnf), which is not supported'

  const who = typeof owner === 'function' ? owner(claims) : claims[owner]
  if (!isOwner(who)) {
    const where =
      typeof owner === 'function' ? 'what the option owner returns' : `the claim ${owner}`
    return `${where} must be a non-empty string without U+0000 and lone surrogates, for the owner; got ${kindOf(who)}`
  }

  const granted = readGranted(claims, scopes)
  // Frozen, since a cached Caller is returned many times.
  return Object.freeze(granted === undefined ? { owner: who } : { owner: who, scopes: granted })
}

function readGranted(claims: Claims, scopes: ClaimOptions['scopes']): readonly Scope[] | undefined {
  if (typeof scopes === 'function') return readScopes(scopes(claims))
  if (scopes !== undefined) return readScopes(claims[scopes])
  const granted = claims.scope === undefined ? claims.scp : claims.scope
  return granted === undefined ? undefined : readScopes(granted)
}

/** Keeps the scopes of other services too, so that a 403 can say which ones came. They grant nothing. */
function readScopes(value: unknown): readonly Scope[] {
  const names = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : []
  return Object.freeze(names.filter((name): name is Scope => isNonEmptyString(name)))
}

/** The reason for which a value of a token is refused, and what the option expects. */
export function mismatch(name: string, value: unknown, expected: unknown): string {
  return `${name} is ${shown(value)}, expected ${[expected].flat().map(shown).join(' or ')}`
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100)
}

/** Shows a time in seconds since 1970, as claims have it. */
export function timeOf(seconds: unknown): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? 'a time out of range' : date.toISOString()
}
