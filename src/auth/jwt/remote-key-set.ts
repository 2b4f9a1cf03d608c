import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose'
import { fetchJson, serviceError } from '../shared/fetch-json.ts'
import { trustedUrl } from '../shared/trusted-url.ts'
import { onlyUsableKeys } from './usable-keys.ts'

/** The age at which a key set is fetched again. */
const MAX_AGE_MS = 600_000
/** The cooldown after a failed fetch of a JWKS. */
const COOLDOWN_MS = 1000

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

/**
 * Creates the `fetch` for a JWKS. jose has a cooldown after a successful fetch, but none after a failure:
 * each token of a flood would trigger a fetch. During the cooldown, this fetch fails with the last error.
 */
function createJwksFetch(): FetchImplementation {
  let failure: { error: unknown; time: number } | undefined
  return async (url, init) => {
    // The absolute difference, since the clock may be set back.
    if (failure && Math.abs(Date.now() - failure.time) < COOLDOWN_MS) throw failure.error
    try {
      return Response.json(await onlyUsableKeys(await fetchKeySet(url, init)))
    } catch (error) {
      failure = { error, time: Date.now() }
      throw error
    }
  }
}

async function fetchKeySet(...request: Parameters<FetchImplementation>): Promise<JSONWebKeySet> {
  const [url] = request
  const keySet = (await fetchJson('jwks', ...request)) as JSONWebKeySet
  // Validates the key set here, so that a bad one starts the cooldown.
  try {
    createLocalJWKSet(keySet)
  } catch (cause) {
    throw serviceError('jwks', url, 'responded with JSON that is not a key set', cause)
  }
  if (keySet.keys.length === 0) throw serviceError('jwks', url, 'responded with no keys')
  return keySet
}
