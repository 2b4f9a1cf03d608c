import type { Caller } from '../auth-verifier.ts'
import { createCallerCache } from './shared/caller-cache.ts'
import { type ClaimOptions, type Claims, readCaller } from './shared/claims.ts'
import { fetchJson } from './shared/fetch-json.ts'
import { MAX_TOKEN_LENGTH } from './shared/token-length.ts'
import { trustedUrl } from './shared/trusted-url.ts'

export type { ClaimOptions, Claims } from './shared/claims.ts'

/** The options of `introspectionVerifier`. */
export interface IntrospectionVerifierOptions extends ClaimOptions {
  /** The introspection endpoint of the authorization server. */
  endpoint: string | URL
  /** What the server knows this service by. */
  clientId: string
  clientSecret: string
  /** What the answer's `aud` must be or contain. Default: the server alone decides whom a token is for. */
  audience?: string | readonly string[]
  /**
   * How long a good answer is used again, in ms, and so how long a revoked token may still pass; never
   * beyond the token's `exp`. 0 asks each time. Default: 10 000.
   */
  cacheMs?: number
  /** How long one answer may take, in ms; longer is 503. Default: 5000. */
  timeoutMs?: number
}

/**
 * Asks the authorization server about each token (RFC 7662), as the client `clientId` with
 * `client_secret_basic` (RFC 6749, section 2.3.1).
 *
 * Good answers are kept for a short time under a SHA-256 of their tokens, 10 000 of them at most; a
 * token that is not active is asked for anew each time, so that a flood of them pushes nothing out.
 * Requests with one token at one time share one question. An endpoint that can't be reached, or that
 * answers with anything but a 200 and the JSON of RFC 7662, makes 503 `auth_unavailable`.
 *
 * A token that is bound to its holder's key (`cnf`) is not valid here: nobody would check the proof. Nor
 * is one whose `token_type` is there and is not `Bearer`.
 *
 * @param options the endpoint and the client's credentials; see `IntrospectionVerifierOptions` and
 *   `ClaimOptions` for the rest
 * @throws TypeError or RangeError when an option is missing or makes no sense
 *
 * @example
 * ```ts
 * const verify = introspectionVerifier({
 *   endpoint: 'https://login.example/oauth2/introspect',
 *   clientId: 'plants',
 *   clientSecret: process.env.INTROSPECTION_SECRET!,
 *   scopes: 'scope',
 * })
 * ```
 */
export function introspectionVerifier({
  endpoint,
  clientId,
  clientSecret,
  audience,
  cacheMs = 10_000,
  timeoutMs = 5000,
  ...claimOptions
}: IntrospectionVerifierOptions): (token: string) => Promise<Caller | null> {
  const url = trustedUrl('endpoint', endpoint)
  const authorization = basicCredentials(clientId, clientSecret)
  const audiences = typeof audience === 'string' ? [audience] : audience
  if (audiences?.length === 0) throw new TypeError('audience must name one or more')
  assertMilliseconds('cacheMs', cacheMs, 0)
  assertMilliseconds('timeoutMs', timeoutMs, 1)
  const cached = createCallerCache(cacheMs)

  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return null
    return cached(token, async () => {
      const claims = await introspect(token)
      const caller = isGood(claims, audiences) ? readCaller(claims, claimOptions) : null
      return caller && { caller, until: expiry(claims) }
    })
  }

  async function introspect(token: string): Promise<Claims> {
    const answer = await fetchJson(url, {
      method: 'POST',
      headers: {
        authorization,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return readAnswer(answer)
  }
}

/** RFC 6749, section 2.3.1: form-urlencoded each (appendix B), then as HTTP Basic. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encode = (option: string, value: unknown) => {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${option} must be a string`)
    return new URLSearchParams({ '': value }).toString().slice(1)
  }
  return `Basic ${btoa(`${encode('clientId', clientId)}:${encode('clientSecret', clientSecret)}`)}`
}

function assertMilliseconds(option: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min && value < 2 ** 31) return
  throw new RangeError(`${option} must be a whole number of milliseconds, ${min} or more`)
}

function readAnswer(answer: any): Claims {
  if (
    typeof answer?.active === 'boolean' &&
    [answer.exp, answer.nbf].every((time) => time === undefined || Number.isFinite(time))
  ) {
    return answer
  }
  throw new Error('The introspection endpoint answered with something else than RFC 7662 says')
}

function isGood(claims: Claims, audiences?: readonly string[]): boolean {
  const { active, nbf, aud, token_type: type = 'Bearer' } = claims
  if (!active || Number(nbf ?? 0) * 1000 > Date.now()) return false
  // Not one that needs a proof (DPoP), and not one that is no access token.
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') return false
  return !audiences || [aud].flat().some((name) => audiences.includes(name as string))
}

function expiry({ exp }: Claims): number {
  return exp === undefined ? Number.POSITIVE_INFINITY : Number(exp) * 1000
}
