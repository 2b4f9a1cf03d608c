import type { Caller } from '../../auth-verifier.ts'
import { assertWholeNumber } from '../../lib/arguments.ts'
import type { MaybePromise } from '../../lib/promises.ts'
import { TOKEN68 } from '../../lib/text.ts'
import type { VerifierContext } from '../../request-context.ts'
import { assertClaimOptions, type ClaimOptions, type Claims, readCaller } from './claims.ts'

/** The longest token that is accepted. Servers limit headers to about this length, and no issuer needs it. */
export const MAX_TOKEN_LENGTH = 16 * 1024

const MAX_CALLERS = 10_000
/** The longest token that is kept, so that the cache takes at most 40 MiB. */
const MAX_CACHED_LENGTH = 4096
/** One hour. A longer time is likely a mistake: a revoked token would be accepted that long. */
const MAX_CACHE_MS = 3_600_000

/** A cache of the callers of good tokens. */
type CallerCache = ReturnType<typeof createCallerCache>

/**
 * Creates a cache for the newest 10 000 callers. Each is kept for `cacheMs` milliseconds, and never beyond
 * the token's expiry. Bad tokens are not cached, so a flood of them evicts nothing.
 *
 * @throws RangeError unless `cacheMs` is from 0 (no cache) to one hour
 */
export function createCallerCache(cacheMs: number) {
  assertWholeNumber('cacheMs', cacheMs, 0, MAX_CACHE_MS)
  /** In order of insertion. */
  const callers = new Map<string, { caller: Caller; from: number; until: number }>()

  return {
    find(token: string): Caller | undefined {
      const cached = callers.get(token)
      const now = Date.now()
      // If the clock was set back, the caller might outlive its expiry or precede its nbf.
      return cached && cached.from <= now && now < cached.until ? cached.caller : undefined
    },
    /** Whether the token was kept, however long ago. */
    has: (token: string) => callers.has(token),
    /** @param expires when the token expires, in ms since 1970 */
    keep(token: string, caller: Caller, expires: number): void {
      if (cacheMs === 0 || token.length > MAX_CACHED_LENGTH) return
      callers.delete(token)
      if (callers.size === MAX_CALLERS) callers.delete(callers.keys().next().value!)
      const from = Date.now()
      callers.set(token, { caller, from, until: Math.min(expires, from + cacheMs) })
    },
  }
}

/**
 * Creates a verifier with a cache in front.
 *
 * @param verify resolves to the claims of a token, or to the reason for which it is refused
 */
export function createCachedVerifier(
  callers: CallerCache,
  options: ClaimOptions,
  verify: (token: string) => Promise<Claims | string>,
): (token: string, context?: Partial<VerifierContext>) => MaybePromise<Caller | null> {
  assertClaimOptions(options)

  async function verifyNow(token: string, context: Partial<VerifierContext> | undefined) {
    const claims = isToken(token) ? await verify(token) : NOT_A_TOKEN
    if (typeof claims === 'string') return refuse(context, claims)
    const caller = readCaller(claims, options)
    if (typeof caller === 'string') return refuse(context, caller)
    const { exp = Number.POSITIVE_INFINITY } = claims
    callers.keep(token, caller, Number(exp) * 1000)
    return caller
  }

  return (token, context) => callers.find(token) ?? verifyNow(token, context)
}

const NOT_A_TOKEN = 'it is longer than 16 KiB, or not a token68 (RFC 9110, section 11.2)'

/** Returns null, with the reason if the context takes one. */
export function refuse(context: Partial<VerifierContext> | undefined, reason: string): null {
  return context?.refuse?.(reason) ?? null
}

/** Whether a request can carry this token. */
export function isToken(token: unknown): boolean {
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH && TOKEN68.test(token)
}
