import type { MaybePromise } from './maybe-promise.ts'

/** What a token may be allowed: `plants:read` to list, `plants:write` to create and delete. */
export type Scope = 'plants:read' | 'plants:write'

/** Who is calling. */
export interface Caller {
  /** Whose plants the token opens: a user, a team, an organisation. Never empty. */
  owner: string
  /** What the token may do. Left out, it may do everything. */
  scopes?: readonly Scope[]
}

/**
 * Tells whose token this is. Called once a request, before anything else of the request is read.
 *
 * A verifier that can't tell, since what it asks is out of reach, throws: the client gets 503
 * `auth_unavailable`, and nobody gets in.
 *
 * @param token the bearer token, in the token68 syntax of RFC 9110, section 11.2
 * @param request a true `Request` with the method, URL and headers of this one and with no body, for
 *   those who check a proof of possession too. It is built for verifiers that declare this parameter,
 *   and only for them: JavaScript doesn't count one that has a default or gathers the rest.
 * @returns the caller, or `null` when the token is not valid: the client gets 401 `invalid_token`
 *
 * @example
 * ```ts
 * const verifySession: AuthVerifier = async (token) => {
 *   const session = await sessions.find(token)
 *   return session ? { owner: session.userId } : null
 * }
 * ```
 */
export type AuthVerifier = (token: string, request: Request) => MaybePromise<Caller | null>
