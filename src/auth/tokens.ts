/**
 * Accepts a fixed set of tokens: for scripts, services and tests that need no identity provider.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { staticTokens } from 'plant-store/auth/tokens'
 *
 * const store = createPlantStore(storage, staticTokens({ [process.env.TOKEN!]: 'alice' }))
 * ```
 *
 * @module
 */
import { type Caller, isOwner, SCOPES } from '../auth-verifier.ts'
import { kindOf, quotedOrKind } from '../lib/arguments.ts'
import { type Refusing, refuse } from './shared/refuse.ts'
import { isToken, MAX_TOKEN_LENGTH } from './shared/token.ts'
import { createKeyedHash } from './tokens/keyed-hash.ts'

/**
 * Creates a verifier for a fixed set of tokens. They are looked up by a hash whose key nobody knows, so its running time
 * tells nothing of the tokens in the set.
 *
 * @param callers for each token, the owner of the plants, or a `Caller` with scopes
 * @returns the verifier. It never returns a promise
 * @throws TypeError when `callers` isn't an object or has no token; when a token is empty, isn't a token68
 *   (RFC 9110, section 11.2) or is longer than 16 KiB, since no request could carry it; when an owner or a
 *   scope is wrong. The message never contains a token
 *
 * @example
 * ```ts
 * const verify = staticTokens({
 *   s3cret: 'alice',
 *   'r3ad-only': { owner: 'alice', scopes: ['plants:read'] },
 * })
 * ```
 */
export function staticTokens(
  callers: Readonly<Record<string, string | Caller>>,
): (token: string, context?: Refusing) => Caller | null {
  const entries = readCallers(callers)
  let find: ((token: string) => Caller | undefined) | undefined
  return (token, context) => {
    find ??= byHash(entries)
    return find(token) ?? refuse(context, 'it is none of the known tokens')
  }
}

function byHash(entries: [token: string, caller: Caller][]): (token: string) => Caller | undefined {
  const hash = createKeyedHash()
  const known = new Map(entries.map((entry) => [hash(entry[0]), entry]))
  return (token) => {
    const [found, caller] = known.get(hash(token)) ?? []
    return found === token ? caller : undefined
  }
}

function readCallers(callers: unknown): [token: string, caller: Caller][] {
  const isObject = kindOf(callers) === 'an object'
  const entries = isObject ? Object.entries(callers as object) : []
  // A Map has none either.
  if (entries.length === 0) {
    const got = isObject ? 'an object without tokens' : kindOf(callers)
    // A verifier is called with a token.
    const advice = typeof callers === 'string' ? '. Pass staticTokens({ … }), not staticTokens' : ''
    throw new TypeError(
      `staticTokens needs an object such as { token: 'owner' }; got ${got}${advice}`,
    )
  }
  return entries.map(([token, caller], index) => {
    const which = `${index + 1} of ${entries.length}`
    assertToken(token, which)
    return [token, parseCaller(caller, which)]
  })
}

function assertToken(token: string, which: string): void {
  // An unset variable becomes one of these keys, and anyone could guess it.
  if (['', 'undefined', 'null'].includes(token)) {
    throw new TypeError(
      `Token ${which} is "${token}", so the variable that it comes from is probably not set`,
    )
  }
  if (!isToken(token)) {
    const { length } = token
    const got = length > MAX_TOKEN_LENGTH ? length : "a character where it isn't allowed"
    throw new TypeError(
      `Token ${which} must be one or more of A-Z, a-z, 0-9, "-", ".", "_", "~", "+", "/", then any number of "=", and at most ${MAX_TOKEN_LENGTH} characters; got ${got}`,
    )
  }
}

function parseCaller(value: unknown, which: string): Caller {
  const { owner, scopes, ...others }: any = kindOf(value) === 'an object' ? value : { owner: value }
  // A misspelt "scopes" would grant all of them.
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    throw new TypeError(
      `Unknown property "${unknown}" of token ${which}: allowed are owner and scopes`,
    )
  }
  if (!isOwner(owner)) {
    throw new TypeError(
      `The owner of token ${which} must be a string that is not empty, without U+0000 and lone surrogates; got ${kindOf(owner)}`,
    )
  }
  if (scopes === undefined) return Object.freeze({ owner })
  if (!Array.isArray(scopes)) {
    throw new TypeError(`The scopes of token ${which} must be an array; got ${kindOf(scopes)}`)
  }
  const wrong = scopes.filter((scope) => !SCOPES.includes(scope))
  if (wrong.length > 0) {
    throw new TypeError(
      `Each scope of token ${which} must be ${SCOPES.join(' or ')}; got ${quotedOrKind(wrong[0])}`,
    )
  }
  return Object.freeze({ owner, scopes: Object.freeze([...scopes]) })
}
