/**
 * Verifies JSON Web Tokens. Needs `jose`: `npm install jose`.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { jwtVerifier } from 'plant-store/auth/jwt'
 *
 * const store = createPlantStore(
 *   storage,
 *   jwtVerifier({
 *     jwks: 'https://login.example/.well-known/jwks.json',
 *     issuer: 'https://login.example/',
 *     audience: 'https://plants.example',
 *   }),
 * )
 * ```
 *
 * @module
 */
import type { Caller } from '../auth-verifier.ts'
import { assertOptions } from '../lib/arguments.ts'
import type { VerifierContext } from '../request-context.ts'
import { type JwtKeyOptions, readKeys } from './jwt/keys.ts'
import { type JwtChecks, readChecks, verifyJwt } from './jwt/verify.ts'
import { createCachedVerifier, createCallerCache } from './shared/cached-verifier.ts'
import type { ClaimOptions } from './shared/claims.ts'

export type { Caller, Scope } from '../auth-verifier.ts'
export type { RequestContext, VerifierContext } from '../request-context.ts'
export type { JwtAlgorithm, JwtKeyOptions } from './jwt/keys.ts'
export type { JwtChecks } from './jwt/verify.ts'
export type { ClaimOptions, Claims } from './shared/claims.ts'

/** The options of `jwtVerifier`: the keys, the required issuer and audience, and the claims to read. */
export type JwtVerifierOptions = JwtKeyOptions & JwtChecks & ClaimOptions

const KNOWN_OPTIONS = [
  ...['jwks', 'publicKey', 'secret', 'allowHttp', 'issuer', 'audience', 'algorithms', 'typ'],
  ...['clockToleranceSeconds', 'owner', 'scopes', 'cacheMs'],
]

/**
 * Creates a verifier for JWTs (RFC 7519) that follows RFC 8725. A token must be signed with an algorithm that fits the
 * key, have an `exp` in the future, and be from this issuer for this audience. Keys that a token contains or points to
 * (`jwk`, `jku`, `x5c`, `x5u`) are never used. Unusable keys of a key set are ignored: malformed, private, of an
 * unknown kind, or RSA with fewer than 2048 bits. A signature in another spelling of base64url is invalid, so that a
 * token has one spelling.
 *
 * A JWKS with a URL is fetched when it is first needed and when it is 10 minutes old. It is also fetched when
 * a token names an unknown key, but not within 30 seconds after the last successful fetch. While it can't be
 * fetched within 5 s or is empty, the client gets 503 `auth_unavailable`, and it is fetched at most once per second.
 *
 * Up to 10 000 verified tokens are cached, for `cacheMs` and never beyond their `exp`. A token whose key was withdrawn
 * is accepted for at most 10 minutes, the age of the key set, plus `cacheMs`. Bad tokens and tokens that are longer than
 * 4096 characters are not cached.
 *
 * A token that is longer than 16 KiB or not a token68 (RFC 9110, section 11.2) is invalid. A sender-constrained token
 * (`cnf`) is invalid too, since possession of its key can't be checked here.
 *
 * @param options one of `jwks` (a URL or a key set), `publicKey` (PEM, JWK, CryptoKey or KeyObject) and
 *   `secret` (at least 32 bytes; a string is encoded as UTF-8); `issuer` and `audience`; optionally the rest
 *   of `JwtChecks` and `ClaimOptions`
 * @returns the verifier. It returns the Caller without a promise when the token is cached
 * @throws TypeError or RangeError when an option is missing, unknown or wrong
 *
 * @example
 * ```ts
 * const verify = jwtVerifier({
 *   jwks: 'https://login.example/.well-known/jwks.json',
 *   issuer: 'https://login.example/',
 *   audience: 'https://plants.example',
 * })
 * ```
 */
export function jwtVerifier(
  options: JwtVerifierOptions,
): (token: string, context?: Partial<VerifierContext>) => Caller | null | Promise<Caller | null> {
  assertOptions('jwtVerifier', options, KNOWN_OPTIONS)
  const { findKey, algorithms } = readKeys(options)
  const checks = readChecks(options, algorithms)
  const callers = createCallerCache(options.cacheMs ?? 60_000)
  return createCachedVerifier(callers, options, (token) => verifyJwt(token, findKey, checks))
}
