import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { kindOf } from '../../lib/arguments.ts'
import { assertPublic, lazyKeySet } from './public-key.ts'
import { onlyUsableKeys } from './usable-keys.ts'

/** Creates a function that finds keys in a key set that never changes. */
export function localKeySet(jwks: JSONWebKeySet): JWTVerifyGetKey {
  if (!Array.isArray(jwks?.keys)) {
    throw new TypeError(`jwks must be a URL or a key set: { keys: [...] }; got ${kindOf(jwks)}`)
  }
  for (const key of jwks.keys) assertPublic('jwks', key)
  // Validates the key set here, so that a malformed one is noticed at once.
  createLocalJWKSet(jwks)
  const copy = structuredClone(jwks)
  return lazyKeySet(() => onlyUsableKeys(copy))
}
