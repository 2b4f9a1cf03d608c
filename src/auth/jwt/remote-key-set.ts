import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { trustedUrl } from '../shared/trusted-url.ts'
import { createJwksFetch } from './jwks-fetch.ts'

/** How long a key set is used before it is fetched again. */
const MAX_AGE_MS = 600_000

/**
 * Creates a function that finds keys in the key set of a URL. It is fetched when it is first needed and when it is
 * 10 minutes old. It is also fetched when a token names an unknown key, but not within 30 seconds after the last
 * successful fetch.
 */
export function remoteKeySet(jwks: string | URL): JWTVerifyGetKey {
  return createRemoteJWKSet(trustedUrl('jwks', jwks), {
    [customFetch]: createJwksFetch(),
    cacheMaxAge: MAX_AGE_MS,
  })
}
