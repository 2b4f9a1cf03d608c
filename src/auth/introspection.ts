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
import { assertOptions, assertWholeNumber, kindOf, MAX_INT32 } from '../lib/arguments.ts'
import { isCloudflareWorkers } from '../lib/runtime.ts'
import { limitCalls } from '../overload.ts'
import type { VerifierContext } from '../request-context.ts'
import { createCachedVerifier, createCallerCache } from './shared/cached-verifier.ts'
import {
  type ClaimOptions,
  type Claims,
  isNonEmptyString,
  mismatch,
  readAudiences,
  timeOf,
} from './shared/claims.ts'
import { fetchJson, ServiceError, trustedUrl } from './shared/service.ts'

export type { Caller, Scope } from '../auth-verifier.ts'
export type { RequestContext, VerifierContext } from '../request-context.ts'
export type { ClaimOptions, Claims } from './shared/claims.ts'

/** The options of `introspectionVerifier`. */
export interface IntrospectionVerifierOptions extends ClaimOptions {
  /** The URL of the authorization server's introspection endpoint. */
  endpoint: string | URL
  /**
   * Whether `endpoint` may be `http:` on another host than this one. Anyone on the network path can then read the
   * tokens and the secret, so allow it only inside a cluster, for example. Default: false.
   */
  allowHttp?: boolean | undefined
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
  ...['endpoint', 'allowHttp', 'clientId', 'clientSecret', 'audience', 'owner', 'scopes'],
  ...['cacheMs', 'timeoutMs'],
]

/** As many introspections may be in progress at once, and as many again of tokens that were valid before. */
const MAX_CONCURRENT_CALLS = 50

/**
 * Creates a verifier that asks the authorization server about each token (RFC 7662), with
 * `client_secret_basic` (RFC 6749, section 2.3.1).
 *
 * Up to 10 000 positive responses are cached, for `cacheMs` and never beyond `exp`. Negative responses, and those for
 * tokens longer than 4096 characters, are not cached. Concurrent requests with the same token share one introspection.
 * When the response doesn't arrive within `timeoutMs`, or isn't a 200 with the JSON of RFC 7662, the client gets 503
 * `auth_unavailable`.
 *
 * A cached token never waits. Other requests are limited, so that a flood of unknown tokens doesn't pile up in front of
 * the authorization server: 50 are in progress at once, and the rest wait as with `limitCalls`. Requests with tokens
 * that were cached before have 50 slots more, which unknown tokens can't take.
 *
 * A sender-constrained token (`cnf`) is invalid, since possession of its key can't be checked here. So is a token whose
 * `token_type` isn't `Bearer`. A token that is longer than 16 KiB or not a token68 (RFC 9110, section 11.2) is invalid
 * too, and the server isn't asked. A `cnf`, `exp`, `nbf` or `token_type` of null counts as missing.
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
): (token: string, context?: Partial<VerifierContext>) => Caller | null | Promise<Caller | null> {
  assertOptions('introspectionVerifier', options, KNOWN_OPTIONS)
  const { audience, cacheMs = 10_000, timeoutMs = 5000 } = options
  const endpoint = trustedUrl('endpoint', options.endpoint, options.allowHttp)
  const authorization = basicCredentials(options.clientId, options.clientSecret)
  const audiences = audience === undefined ? undefined : readAudiences(audience)
  assertWholeNumber('timeoutMs', timeoutMs, 1, MAX_INT32)
  const callers = createCallerCache(cacheMs)
  const verify = createCachedVerifier(callers, options, shareCalls(introspect))
  const verifyUnknown = limitCalls(verify, { maxConcurrentCalls: MAX_CONCURRENT_CALLS })
  const verifyKnown = limitCalls(verify, { maxConcurrentCalls: MAX_CONCURRENT_CALLS })

  async function introspect(token: string): Promise<Claims | string> {
    const response = await fetchJson('endpoint', endpoint, {
      method: 'POST',
      headers: {
        authorization,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const claims = omitNulls(response)
    const fault = findFault(claims)
    if (fault === undefined) return findRefusal(claims, audiences) ?? claims
    const expected = 'expected a JSON object as in RFC 7662'
    throw new ServiceError('endpoint', endpoint, `responded with ${fault}; ${expected}`)
  }

  return (token, context) => {
    const limited = callers.has(token) ? verifyKnown : verifyUnknown
    return callers.find(token) ?? limited(token, context as VerifierContext)
  }
}

/** Encodes client_secret_basic. Both values are form-encoded first (RFC 6749, section 2.3.1). */
function basicCredentials(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encode('clientId', clientId)}:${encode('clientSecret', clientSecret)}`)}`
}

function encode(option: string, value: unknown): string {
  if (isNonEmptyString(value)) return new URLSearchParams({ '': value }).toString().slice(1)
  throw new TypeError(`${option} must be a string that is not empty; got ${kindOf(value)}`)
}

/**
 * Shares one call among concurrent requests with the same token. Not in a Worker, where a request must not wait for the
 * work of another.
 */
function shareCalls<T>(call: (token: string) => Promise<T>): (token: string) => Promise<T> {
  if (isCloudflareWorkers()) return call
  const pending = new Map<string, Promise<T>>()
  return (token) => {
    let result = pending.get(token)
    if (!result) {
      result = call(token).finally(() => pending.delete(token))
      pending.set(token, result)
    }
    return result
  }
}

/**
 * Members for which null means missing: Janssen Server sends `"nbf": null` and `"cnf": null`. Not `scope`, where null
 * grants nothing, but a missing scope grants everything.
 */
const NULLABLE = ['cnf', 'exp', 'nbf', 'token_type']

function omitNulls(response: any): Claims {
  if (kindOf(response) !== 'an object') return response
  const members = Object.entries(response)
  return Object.fromEntries(
    members.filter(([name, value]) => value !== null || !NULLABLE.includes(name)),
  )
}

/** Names what is wrong with a response (RFC 7662, section 2.2), without its content, which may name the owner. */
function findFault(claims: Claims): string | undefined {
  if (kindOf(claims) !== 'an object') return kindOf(claims)
  const { active, exp = 0, nbf = 0 } = claims
  if (typeof active !== 'boolean') return `active: ${kindOf(active)}`
  if (!Number.isFinite(exp)) return `exp: ${kindOf(exp)}`
  if (!Number.isFinite(nbf)) return `nbf: ${kindOf(nbf)}`
  return undefined
}

/** Returns the reason for which the token is not valid now, for one of these audiences; undefined if it is. */
function findRefusal(claims: Claims, audiences: readonly string[] = []): string | undefined {
  const { active, exp, nbf = 0, aud, token_type: type = 'Bearer' } = claims
  const now = Date.now() / 1000
  if (!active) return 'the authorization server says that it is not active'
  if (Number(nbf) > now) return `it is not valid before ${timeOf(nbf)}`
  if (exp !== undefined && Number(exp) <= now) return `it expired at ${timeOf(exp)}`
  // Refuses tokens that need a proof (DPoP), and refresh tokens.
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return mismatch('token_type', type, 'Bearer')
  }
  const isForUs =
    audiences.length === 0 || [aud].flat().some((name) => audiences.includes(name as string))
  return isForUs ? undefined : mismatch('audience', aud, audiences)
}
