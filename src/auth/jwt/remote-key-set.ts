import { createRemoteJWKSet, customFetch, type JWKSCacheInput, jwksCache } from 'jose'
import { trustedUrl } from '../shared/trusted-url.ts'
import { createJwksFetch } from './jwks-cooldown.ts'
import type { KeySet } from './key-set.ts'
import { rememberKeys } from './remember-keys.ts'

/** How long a key set is used before it is fetched again. */
const MAX_AGE_MS = 600_000

/**
 * Creates a key set for a URL. It is fetched when it is first needed and when it is 10 minutes old. It is also
 * fetched when a token names an unknown key, but not within 30 seconds after the last successful fetch.
 */
export function remoteKeySet(jwks: string | URL): KeySet {
  // jose updates this when it starts to use a new key set.
  const current: JWKSCacheInput = {}
  const remote = createRemoteJWKSet(trustedUrl('jwks', jwks), {
    [customFetch]: createJwksFetch(),
    [jwksCache]: current,
    cacheMaxAge: MAX_AGE_MS,
  })
  let keySet: unknown
  let text: string | undefined

  function freshKeySet(now: number) {
    const { uat = Number.NaN, jwks } = current
    // Not when the clock has been set back, since jose would use the set until the clock has caught up.
    return now >= uat && now < uat + MAX_AGE_MS ? jwks : undefined
  }

  function version(now: number) {
    const fresh = freshKeySet(now)
    if (fresh !== keySet) {
      keySet = fresh
      text = JSON.stringify(fresh)
    }
    return text
  }

  const findKey = rememberKeys(remote, () => freshKeySet(Date.now()))
  return { findKey, version, load: () => remote.reload() }
}
