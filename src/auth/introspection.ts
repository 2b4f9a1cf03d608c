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
import { assertOptions, assertWholeNumber } from '../lib/check-options.ts'
import { mayWaitForOthers } from '../lib/may-wait-for-others.ts'
import { createTaskQueue } from '../lib/task-queue.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { basicCredentials } from './introspection/credentials.ts'
import { expiry, isValid, readResponse } from './introspection/response.ts'
import { readAudiences } from './shared/audiences.ts'
import { assertClaimOptions, type ClaimOptions, type Claims, readCaller } from './shared/claims.ts'
import { fetchJson } from './shared/fetch-json.ts'
import { isToken } from './shared/token.ts'
import { trustedUrl } from './shared/trusted-url.ts'
import { createVerdictCache } from './shared/verdict-cache.ts'

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
   * How long a positive response is cached, in ms, from 0 (never) to 3 600 000. A revoked token may keep
   * working that long. Default: 10 000.
   */
  cacheMs?: number | undefined
  /**
   * How long a request may wait for the response, in ms, from 1 to 2 147 483 647. After that the client gets
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

/** The maximum number of requests in flight, so that a flood of bad tokens doesn't open more connections. */
const MAX_IN_FLIGHT = 32
/** The maximum number of requests in flight and of those that wait. Each takes about 7 KB. */
const MAX_PENDING = MAX_IN_FLIGHT + 1024

/** Timers fire immediately beyond int32. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Creates a verifier that asks the authorization server about each token (RFC 7662), with
 * `client_secret_basic` (RFC 6749, section 2.3.1).
 *
 * Up to 10 000 positive responses are cached, for `cacheMs` and never beyond `exp`; not those for tokens that are
 * longer than 4096 characters. Negative responses are not cached. Concurrent requests with the same token share one
 * introspection. At most 32 introspections are in flight, and 1024 wait. Beyond that, and when the response doesn't arrive
 * within `timeoutMs`, or isn't a 200 with the JSON of RFC 7662, the client gets 503 `auth_unavailable`.
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
): (token: string) => MaybePromise<Caller | null> {
  assertOptions('introspectionVerifier', options, KNOWN_OPTIONS)
  const { audience, owner, scopes, cacheMs = 10_000, timeoutMs = 5000 } = options
  const endpoint = trustedUrl('endpoint', options.endpoint)
  const authorization = basicCredentials(options.clientId, options.clientSecret)
  const audiences = audience === undefined ? undefined : readAudiences(audience)
  assertClaimOptions(options)
  assertWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS)
  const verdicts = createVerdictCache(cacheMs)
  const pending = new Map<string, Promise<Caller | null>>()
  const runTask = createTaskQueue(MAX_IN_FLIGHT)

  return (token) => {
    const caller = verdicts.find(token)
    if (caller) return caller
    if (!isToken(token)) return null
    if (!mayWaitForOthers()) return verify(token)
    const shared = pending.get(token)
    if (shared) return shared
    const result = verify(token).finally(() => pending.delete(token))
    pending.set(token, result)
    return result
  }

  async function verify(token: string): Promise<Caller | null> {
    if (pending.size >= MAX_PENDING) {
      throw new Error(`${MAX_PENDING} requests to the authorization server are pending`)
    }
    const signal = AbortSignal.timeout(timeoutMs)
    const claims = await runTask(() => introspect(token, signal))
    const caller = isValid(claims, audiences) ? readCaller(claims, { owner, scopes }) : null
    if (caller) verdicts.keep(token, { caller, expires: expiry(claims) })
    return caller
  }

  async function introspect(token: string, signal: AbortSignal): Promise<Claims> {
    const response = await fetchJson(endpoint, {
      method: 'POST',
      headers: {
        authorization,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      signal,
    })
    return readResponse(response)
  }
}
