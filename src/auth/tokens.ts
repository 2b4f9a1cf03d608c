/**
 * Lets in a fixed set of tokens: for scripts, services and tests that need no identity provider.
 *
 * ```ts
 * import { createPlantStore } from 'plant-store'
 * import { staticTokens } from 'plant-store/auth/tokens'
 *
 * const store = createPlantStore(storage, staticTokens({ [process.env.TOKEN]: 'alice' }))
 * ```
 *
 * @module
 */
import type { Caller } from '../auth-verifier.ts'
import { isOwner, SCOPES } from '../auth-verifier.ts'
import { MAX_TOKEN_LENGTH } from './shared/token-length.ts'

interface Entry {
  token: string
  caller: Caller
}

// RFC 9110, section 11.2.
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Makes a verifier that knows each token's caller. How long it takes tells nothing of the tokens that
 * it knows: neither how much of a guess is right nor how long they are.
 *
 * @param callers by token, the owner whose plants it opens, or a `Caller` with scopes too
 * @throws TypeError, which never names a token, when one is empty, no token68 (RFC 9110, section 11.2)
 *   or longer than 16 KiB, so that no request could carry it, or when an owner or a scope is none
 *
 * @example
 * ```ts
 * const verify = staticTokens({
 *   s3cret: 'alice',
 *   'r3ad-only': { owner: 'alice', scopes: ['plants:read'] },
 * })
 * ```
 */
export function staticTokens(callers: Record<string, string | Caller>) {
  const entries = Object.entries(callers).map(readEntry)
  let find: ReturnType<typeof createLookup> | undefined

  // One parameter, so that no Request is built. The lookup waits for the first token, since Workers
  // give no random numbers outside of a request.
  return (token: string): Caller | null => {
    find ??= createLookup(entries)
    return find(token)
  }
}

function readEntry(
  [token, value]: [string, string | Caller],
  index: number,
  all: unknown[],
): Entry {
  const { owner, scopes } = typeof value === 'string' ? { owner: value } : Object(value)
  const which = `Token ${index + 1} of ${all.length}`
  if (!TOKEN68.test(token)) {
    throw new TypeError(
      `${which} must be one or more of A-Z, a-z, 0-9, "-", ".", "_", "~", "+", "/", then any number of "="`,
    )
  }
  // What becomes of an environment variable as a key; anybody would guess it.
  if (token === 'undefined' || token === 'null') {
    throw new TypeError(`${which} is "${token}": a variable is not set`)
  }
  if (token.length > MAX_TOKEN_LENGTH) {
    throw new TypeError(`${which} must have ${MAX_TOKEN_LENGTH} characters at most`)
  }
  if (!isOwner(owner)) {
    throw new TypeError(`${which} needs an owner: text without U+0000 and lone surrogates`)
  }
  if (scopes === undefined) return { token, caller: Object.freeze({ owner }) }
  if (!Array.isArray(scopes) || !scopes.every((scope) => SCOPES.includes(scope))) {
    throw new TypeError(`${which} may have no other scopes than ${SCOPES.join(' and ')}`)
  }
  return { token, caller: Object.freeze({ owner, scopes: Object.freeze([...scopes]) }) }
}

/**
 * Finds a token by the sum of its characters, each times a secret random number of its position. This
 * is a universal hash: two tokens have equal sums with a chance of at most 1 in 2^32, however alike
 * they are. So the time taken depends on the length of the token asked for, and on chance.
 *
 * A SHA-256 would serve too, but WebCrypto's, the only one that every runtime has, answers with a
 * promise, and one in JavaScript takes many times longer.
 */
function createLookup(entries: Entry[]): (token: string) => Caller | null {
  // As much as getRandomValues gives at once; and the sums of token68 are whole numbers below 2^53.
  const key = new Uint32Array(MAX_TOKEN_LENGTH)
  const bySum = new Map<number, Entry>()
  // Again, should two of the tokens have equal sums.
  while (bySum.size < entries.length) {
    bySum.clear()
    crypto.getRandomValues(key)
    for (const entry of entries) bySum.set(sum(entry.token, key), entry)
  }
  return (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return null
    const entry = bySum.get(sum(token, key))
    return entry && isSame(entry.token, token) ? entry.caller : null
  }
}

function sum(token: string, key: Uint32Array): number {
  let total = 0
  for (let index = 0; index < token.length; index++) {
    total += token.charCodeAt(index) * key[index]!
  }
  return total
}

/** Compares every character, wherever the first difference is. */
function isSame(known: string, given: string): boolean {
  let difference = known.length ^ given.length
  for (let index = 0; index < given.length; index++) {
    difference |= known.charCodeAt(index) ^ given.charCodeAt(index)
  }
  return difference === 0
}
