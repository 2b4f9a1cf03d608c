import type { Caller } from '../../auth-verifier.ts'
import { assertWholeNumber } from '../../lib/check-options.ts'

const MAX_VERDICTS = 10_000
/** The longest token whose verdict is kept, so that the cache takes at most 40 MiB. */
const MAX_LENGTH = 4096
/** One hour. A longer time is likely a mistake: a revoked token would be accepted that long. */
const MAX_CACHE_MS = 3_600_000

/** A verified caller, and the time in ms since 1970 at which the token expires. */
export interface Verdict {
  readonly caller: Caller
  readonly expires: number
}

/** A cache of verdicts on good tokens. */
export interface VerdictCache {
  find(token: string): Caller | undefined
  keep(token: string, verdict: Verdict): void
}

/**
 * Creates a cache for the newest 10 000 verdicts. Each is kept for `cacheMs` milliseconds, and never beyond
 * the token's expiry. Bad tokens are not cached, so a flood of them evicts nothing.
 *
 * @throws RangeError unless `cacheMs` is from 0 (no cache) to one hour
 */
export function createVerdictCache(cacheMs: number): VerdictCache {
  assertWholeNumber('cacheMs', cacheMs, 0, MAX_CACHE_MS)
  /** In order of insertion. */
  const verdicts = new Map<string, { caller: Caller; from: number; until: number }>()

  return {
    find(token) {
      const verdict = verdicts.get(token)
      const now = Date.now()
      // If the clock was set back, the verdict might outlive its expiry or precede its nbf.
      return verdict && verdict.from <= now && now < verdict.until ? verdict.caller : undefined
    },
    keep(token, { caller, expires }) {
      if (cacheMs === 0 || token.length > MAX_LENGTH) return
      verdicts.delete(token)
      if (verdicts.size === MAX_VERDICTS) verdicts.delete(verdicts.keys().next().value!)
      const from = Date.now()
      verdicts.set(token, { caller, from, until: Math.min(expires, from + cacheMs) })
    },
  }
}
