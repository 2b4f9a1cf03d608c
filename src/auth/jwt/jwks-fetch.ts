import type { FetchImplementation, JSONWebKeySet } from 'jose'
import { createLocalJWKSet } from 'jose'
import { fetchJson } from '../shared/fetch-json.ts'
import { onlyUsableKeys } from './usable-keys.ts'

/** The cooldown after a failed fetch of a JWKS. */
const COOLDOWN_MS = 1000

/**
 * Creates the `fetch` for a JWKS. jose has a cooldown after a successful fetch, but none after a failure:
 * each token of a flood would trigger a fetch. During the cooldown, this fetch fails with the last error.
 */
export function createJwksFetch(): FetchImplementation {
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
  const keySet = (await fetchJson(...request)) as JSONWebKeySet
  // Validates the key set here, so that a bad one starts the cooldown.
  createLocalJWKSet(keySet)
  if (keySet.keys.length === 0)
    throw new Error(`The key set of ${new URL(request[0]).origin} has no keys`)
  return keySet
}
