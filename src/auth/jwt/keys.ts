import type { CryptoKey, JSONWebKeySet, JWK, JWTVerifyGetKey, KeyObject } from 'jose'
import { PUBLIC_KEY_ALGORITHMS } from './algorithms.ts'
import { localKeySet } from './local-key-set.ts'
import { publicKeyFinder } from './public-key.ts'
import { remoteKeySet } from './remote-key-set.ts'
import { type JwtKeys, readSecret } from './secret.ts'

/** The key or keys that verify signatures. Exactly one of the three is required. */
export type JwtKeyOptions =
  | {
      /** The URL of a key set (RFC 7517), which is fetched when it is needed, or the key set itself. */
      jwks: string | URL | JSONWebKeySet
      publicKey?: undefined
      secret?: undefined
    }
  | {
      /** A public key: as PEM (SPKI), as a JWK or as a key object. */
      publicKey: string | JWK | CryptoKey | KeyObject
      jwks?: undefined
      secret?: undefined
    }
  | {
      /** The shared secret of HMAC, as long as the hash at least. */
      secret: string | Uint8Array
      jwks?: undefined
      publicKey?: undefined
    }

/** Whether the keys are at a URL. Not instanceof, since a DOM for tests has a URL of its own. */
function isUrl(jwks: JwtKeyOptions['jwks']): jwks is string | URL {
  return typeof jwks === 'string' || 'href' in Object(jwks)
}

/** Reads the key options. Throws a TypeError or RangeError that says what is wrong with them. */
export function readKeys({ jwks, publicKey, secret }: JwtKeyOptions): JwtKeys {
  const given = [jwks, publicKey, secret].filter((option) => option !== undefined)
  if (given.length !== 1) {
    throw new TypeError(
      `Exactly one of jwks, publicKey and secret is required; got ${given.length || 'none'}`,
    )
  }
  if (secret !== undefined) return readSecret(secret)
  return { findKey: findPublicKey(), algorithms: PUBLIC_KEY_ALGORITHMS }

  function findPublicKey(): JWTVerifyGetKey {
    if (publicKey !== undefined) return publicKeyFinder(publicKey)
    return isUrl(jwks) ? remoteKeySet(jwks) : localKeySet(jwks!)
  }
}
