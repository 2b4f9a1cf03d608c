import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { kindOf } from '../../kind-of.ts'
import { assertPublic } from './public-key.ts'
import { withoutWeakKeys } from './weak-keys.ts'

/** Creates a function that finds keys in a key set that never changes. */
export function localKeySet(jwks: JSONWebKeySet): JWTVerifyGetKey {
  if (!Array.isArray(jwks?.keys)) {
    throw new TypeError(`jwks must be a URL or a key set: { keys: [...] }; got ${kindOf(jwks)}`)
  }
  for (const key of jwks.keys) assertPublic('jwks', key)
  return createLocalJWKSet(withoutWeakKeys(jwks))
}
