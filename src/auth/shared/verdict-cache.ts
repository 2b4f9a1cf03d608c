import type { Caller } from '../../auth-verifier.ts'
import type { TokenHash } from '../../http/token-hash.ts'
import { assertWholeNumber } from '../../lib/check-options.ts'
import { createTokenMap, type TokenMap } from './token-map.ts'

const MAX_VERDICTS = 10_000
/** One hour. A longer time is likely a mistake: a revoked token would be accepted that long. */
const MAX_CACHE_MS = 3_600_000

/** A verified caller, and the time in ms since 1970 at which the token expires. */
export interface Verdict {
  readonly caller: Caller
  readonly expires: number
}

/** A cache of verdicts on good tokens. `now` is always `Date.now()`. */
export interface VerdictCache {
  find(hash: TokenHash, now: number): Caller | undefined
  keep(hash: TokenHash, verdict: Verdict, now: number): void
  clear(): void
}

/**
 * Creates a cache for the newest 10 000 verdicts. Each is kept for `cacheMs` milliseconds, and never beyond
 * the token's expiry. Bad tokens are not cached, so a flood of them evicts nothing.
 *
 * @throws RangeError unless `cacheMs` is from 0 (no cache) to one hour
 */
export function createVerdictCache(cacheMs: number): VerdictCache {
  assertWholeNumber('cacheMs', cacheMs, 0, MAX_CACHE_MS)
  // Takes 340 KB, so not for a verifier that has verified nothing yet.
  let verdicts: TokenMap<Verdict> | undefined
  let latest = 0

  /** If the clock is set back, drops all verdicts: they might outlive their expiry or precede their nbf. */
  function clearIfSetBack(now: number): void {
    if (now < latest) clear()
    latest = now
  }

  function clear(): void {
    verdicts?.clear()
  }

  return {
    find(hash, now) {
      if (cacheMs === 0) return undefined
      clearIfSetBack(now)
      const verdict = verdicts?.get(hash)
      return verdict && now < verdict.expires ? verdict.caller : undefined
    },
    keep(hash, { caller, expires }, now) {
      if (cacheMs === 0) return
      clearIfSetBack(now)
      verdicts ??= createTokenMap(MAX_VERDICTS)
      verdicts.set(hash, { caller, expires: Math.min(expires, now + cacheMs) })
    },
    clear,
  }
}
