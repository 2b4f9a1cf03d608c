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
import { type Caller, checkCaller, SCOPES } from '../auth-verifier.ts'
import { assertOptions, kindOf, quotedOrKind } from '../lib/arguments.ts'
import type { VerifierContext } from '../request-context.ts'
import { isToken, MAX_TOKEN_LENGTH, refuse } from './shared/cached-verifier.ts'

export type { Caller, Scope } from '../auth-verifier.ts'
export type { RequestContext, VerifierContext } from '../request-context.ts'

/**
 * Creates a verifier for a fixed set of tokens. A token is compared with each of them in constant time, so the time that it
 * takes says nothing about the tokens but their number and lengths.
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
): (token: string, context?: Partial<VerifierContext>) => Caller | null {
  const entries = readCallers(callers)
  return (token, context) => {
    let found: Caller | undefined
    for (const [known, caller] of entries) if (isSame(known, token)) found = caller
    return found ?? refuse(context, 'it is none of the known tokens')
  }
}

/** Compares in a time that depends on the lengths alone. `node:crypto` has such a function, but other runtimes don't. */
function isSame(known: string, token: string): boolean {
  if (known.length !== token.length) return false
  let difference = 0
  for (let index = 0; index < known.length; index++) {
    difference |= known.charCodeAt(index) ^ token.charCodeAt(index)
  }
  return difference === 0
}

function readCallers(callers: unknown): [token: string, caller: Caller][] {
  const isObject = kindOf(callers) === 'an object'
  const entries = isObject ? Object.entries(callers as object) : []
  // A Map has none either.
  if (entries.length === 0) {
    const got = isObject ? 'an object without tokens' : kindOf(callers)
    throw new TypeError(`staticTokens needs an object such as { token: 'owner' }; got ${got}`)
  }
  return entries.map(([token, caller], index) => {
    const which = `token ${index + 1} of ${entries.length}`
    assertToken(token, which)
    return [token, parseCaller(caller, which)]
  })
}

function assertToken(token: string, which: string): void {
  // An unset variable becomes one of these keys, and anyone could guess it.
  if (['', 'undefined', 'null'].includes(token)) {
    throw new TypeError(
      `${which} is "${token}": the variable that it comes from is probably not set`,
    )
  }
  if (isToken(token)) return
  const { length } = token
  const got = length > MAX_TOKEN_LENGTH ? length : "a character where it isn't allowed"
  throw new TypeError(
    `${which} must be one or more of A-Z, a-z, 0-9, "-", ".", "_", "~", "+", "/", then any number of "=", and at most ${MAX_TOKEN_LENGTH} characters; got ${got}`,
  )
}

function parseCaller(value: unknown, which: string): Caller {
  const expectation = `The caller of ${which} must be an owner or { owner, scopes }`
  const caller = typeof value === 'string' ? { owner: value } : value
  const { owner, scopes } = checkCaller(caller, expectation)
  // A misspelt "scopes" would grant all of them.
  assertOptions(`The caller of ${which}`, caller, ['owner', 'scopes'])
  if (scopes === undefined) return Object.freeze({ owner })
  const wrong = scopes.filter((scope) => !SCOPES.includes(scope))
  if (wrong.length > 0) {
    throw new TypeError(
      `Each scope of ${which} must be ${SCOPES.join(' or ')}; got ${quotedOrKind(wrong[0])}`,
    )
  }
  return Object.freeze({ owner, scopes: Object.freeze([...scopes]) })
}
