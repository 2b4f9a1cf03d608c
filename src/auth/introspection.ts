/**
 * Asks an authorization server about each token: for opaque tokens, and for tokens that must be revocable.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { introspectionVerifier } from 'plant-store/auth/introspection'
 *
 * const store = createPlantStore(
 *   storage,
 *   introspectionVerifier({
 *     endpoint: 'https://login.example/oauth2/introspect',
 *     clientId: 'plants',
 *     clientSecret: process.env.INTROSPECTION_SECRET!,
 *   }),
 * )
 * ```
 *
 * @module
 */
import type { Caller } from '../auth-verifier.ts'
import { assertOptions, assertWholeNumber } from '../lib/arguments.ts'
import type { MaybePromise } from '../lib/promises.ts'
import { createTurns, inTurn } from '../overload.ts'
import type { VerifierContext } from '../request-context.ts'
import { basicCredentials } from './introspection/credentials.ts'
import { expiry, findRefusal, readResponse } from './introspection/response.ts'
import { shareCalls } from './introspection/shared-calls.ts'
import { assertCalled } from './shared/assert-called.ts'
import { readAudiences } from './shared/audiences.ts'
import { createCallerCache } from './shared/caller-cache.ts'
import { assertClaimOptions, type ClaimOptions, type Claims, readCaller } from './shared/claims.ts'
import { fetchJson } from './shared/fetch-json.ts'
import { type Refusing, refuse } from './shared/refuse.ts'
import { isToken, NOT_A_TOKEN } from './shared/token.ts'
import { trustedUrl } from './shared/trusted-url.ts'

export type { ClaimOptions, Claims } from './shared/claims.ts'

/** The options of `introspectionVerifier`. */
export interface IntrospectionVerifierOptions extends ClaimOptions {
  /** The URL of the authorization server's introspection endpoint. */
  endpoint: string | URL
  /** The client identifier of this service at the authorization server. */
  clientId: string
  /** The client secret of this service at the authorization server. */
  clientSecret: string
  /** The value that `aud` must be or contain, or several. Default: not checked. */
  audience?: string | readonly string[] | undefined
  /**
   * The time that a positive response is cached, in ms, from 0 (never) to 3 600 000. A revoked token may keep
   * working that long. Default: 10 000.
   */
  cacheMs?: number | undefined
  /**
   * The time limit of a request to the server, in ms, from 1 to 2 147 483 647. After that the client gets
   * 503 `auth_unavailable`. Default: 5000.
   */
  timeoutMs?: number | undefined
}

const KNOWN_OPTIONS = [
  'endpoint',
  'clientId',
  'clientSecret',
  'audience',
  'owner',
  'scopes',
  'cacheMs',
  'timeoutMs',
]

/** Tokens that were never in the cache wait as those of one owner, beside whom callers get slots. No owner is empty. */
const STRANGERS = ''

/** The most introspections at once. */
const MAX_INTROSPECTIONS = 50

/** Timers fire immediately beyond int32. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Creates a verifier that asks the authorization server about each token (RFC 7662), with
 * `client_secret_basic` (RFC 6749, section 2.3.1).
 *
 * Up to 10 000 positive responses are cached, for `cacheMs` and never beyond `exp`; not those for tokens that are
 * longer than 4096 characters. Negative responses are not cached. Concurrent requests with the same token share one
 * introspection, which is aborted when the last of their clients has gone. When the response doesn't arrive within
 * `timeoutMs`, or isn't a 200 with the JSON of RFC 7662, the client gets 503 `auth_unavailable`.
 *
 * A caller whose token is in the cache waits for nobody. The other introspections are limited, so that a flood of unknown
 * tokens doesn't pile up in front of the authorization server. A token that was in the cache has its owner's turn, and slots
 * that strangers don't get. A newcomer's token can't be told from a stranger's before the server has been asked. So it waits
 * as with `limitCalls`: as long as strangers keep the server busy, the newest are asked about first, and who has waited for
 * 250 ms gets 503 `overloaded`.
 *
 * A sender-constrained token (`cnf`) is invalid, since possession of its key can't be checked here. So is a
 * token whose `token_type` isn't `Bearer`. A token that is longer than 16 KiB or not a token68 (RFC 9110,
 * section 11.2) is invalid too, and nothing is asked about it. A `cnf`, `exp`, `nbf` or `token_type` of null counts as
 * missing.
 *
 * @param options the endpoint and the credentials; optionally the rest of `IntrospectionVerifierOptions` and
 *   `ClaimOptions`
 * @returns the verifier. It returns the Caller without a promise when the response is cached
 * @throws TypeError or RangeError when an option is missing, unknown or wrong
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
export function introspectionVerifier(
  options: IntrospectionVerifierOptions,
): (token: string, context?: Partial<VerifierContext>) => MaybePromise<Caller | null> {
  assertCalled('introspectionVerifier', options)
  assertOptions('introspectionVerifier', options, KNOWN_OPTIONS)
  const { audience, owner, scopes, cacheMs = 10_000, timeoutMs = 5000 } = options
  const endpoint = trustedUrl('endpoint', options.endpoint)
  const authorization = basicCredentials(options.clientId, options.clientSecret)
  const audiences = audience === undefined ? undefined : readAudiences(audience)
  assertClaimOptions(options)
  assertWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS)
  const callers = createCallerCache(cacheMs)
  const turns = createTurns(MAX_INTROSPECTIONS)
  const verify = shareCalls(verifyToken)

  return (token, context) => {
    const caller = callers.find(token)
    if (caller) return caller
    return isToken(token) ? ask(token, context) : refuse(context as Refusing, NOT_A_TOKEN)
  }

  async function ask(token: string, context?: Partial<VerifierContext>): Promise<Caller | null> {
    const result = await verify(token, context?.signal)
    return typeof result === 'string' ? refuse(context as Refusing, result) : result
  }

  async function verifyToken(
    token: string,
    caller: AbortSignal | undefined,
  ): Promise<Caller | string> {
    const waitingOwner = callers.lastOwner(token) ?? STRANGERS
    const origin = caller && { signal: caller }
    const claims = await inTurn(turns, waitingOwner, origin, () => introspect(token, caller))
    const result = findRefusal(claims, audiences) ?? readCaller(claims, { owner, scopes })
    if (typeof result !== 'string') {
      callers.keep(token, { caller: result, expires: expiry(claims) })
    }
    return result
  }

  async function introspect(token: string, caller: AbortSignal | undefined): Promise<Claims> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = caller ? AbortSignal.any([caller, timeout]) : timeout
    const response = await fetchJson('endpoint', endpoint, {
      method: 'POST',
      headers: {
        authorization,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      signal,
    })
    return readResponse(response, endpoint)
  }
}
