import { kindOf } from './lib/arguments.ts'
import type { MaybePromise } from './lib/promises.ts'
import { storableText } from './lib/text.ts'
import type { VerifierContext } from './request-context.ts'

/** A permission of a token: `plants:read` to list, `plants:write` to create and delete. */
export type Scope = 'plants:read' | 'plants:write'

/** All scopes. */
export const SCOPES: readonly unknown[] = ['plants:read', 'plants:write'] satisfies Scope[]

/** The authenticated caller. */
export interface Caller {
  /**
   * The account that the plants belong to: a user, a team, an organisation. Not empty, without U+0000
   * and lone surrogates.
   */
  readonly owner: string
  /** The granted scopes. Default: all. */
  readonly scopes?: readonly Scope[] | undefined
}

/** Whether plants can be stored under this owner. */
export function isOwner(owner: unknown): owner is string {
  return typeof owner === 'string' && owner !== '' && storableText.test(owner)
}

/**
 * Checks a caller, for users of JavaScript.
 *
 * @param expectation the beginning of the message
 * @throws TypeError that says what is wrong with it
 */
export function checkCaller(value: unknown, expectation: string): Caller {
  // Read once, so that the checked value is the one that is used.
  const { owner, scopes, scope } = Object(value) as Caller & { scope?: unknown }
  if (!isOwner(owner)) {
    const expected = `${expectation}, with a non-empty owner without U+0000 or a lone surrogate`
    throw new TypeError(`${expected}; got ${showOwner(value, owner)}`)
  }
  // Without scopes, the caller would be granted everything.
  if (scopes === undefined ? scope !== undefined : !Array.isArray(scopes)) {
    const got = scopes === undefined ? 'scope' : kindOf(scopes)
    throw new TypeError(`${expectation}, with an array of granted scopes as scopes; got ${got}`)
  }
  return { owner, scopes }
}

function showOwner(value: unknown, owner: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (owner === undefined) return `${kindOf(value)} without owner`
  if (owner === '' || typeof owner !== 'string') return `${kindOf(owner)} as owner`
  return 'an owner with U+0000 or a lone surrogate'
}

/**
 * Resolves a bearer token to its caller. Called once per request, before anything else of the request is
 * read.
 *
 * A verifier that can't decide, for example because its database is down, throws. The client then gets
 * 503 `auth_unavailable`, and the request is not served. Throw `RateLimitedError` for a 429.
 *
 * @param token the bearer token, in the token68 syntax of RFC 9110, section 11.2
 * @param context the request, for verifiers that need more than the token, for example a proof of possession
 * @returns the caller, or `null` when the token is not valid: the client gets 401 `invalid_token`. Return
 *   `context.refuse(reason)` to say why, in `onResponse` and in the default log
 *
 * @example
 * ```ts
 * const verifySession: AuthVerifier = async (token, context) => {
 *   const session = await sessions.find(token)
 *   return session ? { owner: session.userId } : context.refuse('no such session')
 * }
 * ```
 */
export type AuthVerifier = (token: string, context: VerifierContext) => MaybePromise<Caller | null>
