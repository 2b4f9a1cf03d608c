import type { Caller } from '../../auth-verifier.ts'
import { assertWholeNumber } from '../../lib/arguments.ts'

const MAX_CALLERS = 10_000
/** The longest token that is kept, so that the cache takes at most 40 MiB. */
const MAX_LENGTH = 4096
/** One hour. A longer time is likely a mistake: a revoked token would be accepted that long. */
const MAX_CACHE_MS = 3_600_000

/** A verified caller, and the time in ms since 1970 at which the token expires. */
interface CachedCaller {
  readonly caller: Caller
  readonly expires: number
}

/** A cache of the callers of good tokens. */
export interface CallerCache {
  find(token: string): Caller | undefined
  /** Whose the token was when it was kept, however long ago. */
  lastOwner(token: string): string | undefined
  keep(token: string, cached: CachedCaller): void
}

/**
 * Creates a cache for the newest 10 000 callers. Each is kept for `cacheMs` milliseconds, and never beyond
 * the token's expiry. Bad tokens are not cached, so a flood of them evicts nothing.
 *
 * @throws RangeError unless `cacheMs` is from 0 (no cache) to one hour
 */
export function createCallerCache(cacheMs: number): CallerCache {
  assertWholeNumber('cacheMs', cacheMs, 0, MAX_CACHE_MS)
  /** In order of insertion. */
  const callers = new Map<string, { caller: Caller; from: number; until: number }>()

  return {
    find(token) {
      const cached = callers.get(token)
      const now = Date.now()
      // If the clock was set back, the caller might outlive its expiry or precede its nbf.
      return cached && cached.from <= now && now < cached.until ? cached.caller : undefined
    },
    lastOwner: (token) => callers.get(token)?.caller.owner,
    keep(token, { caller, expires }) {
      if (cacheMs === 0 || token.length > MAX_LENGTH) return
      callers.delete(token)
      if (callers.size === MAX_CALLERS) callers.delete(callers.keys().next().value!)
      const from = Date.now()
      callers.set(token, { caller, from, until: Math.min(expires, from + cacheMs) })
    },
  }
}
