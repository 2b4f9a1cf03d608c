import type { CryptoKey, JSONWebKeySet, JWK, KeyObject } from 'jose'
import { PUBLIC_KEY_ALGORITHMS } from './algorithms.ts'
import type { JwtKeys } from './key-set.ts'
import { localKeySet } from './local-key-set.ts'
import { publicKeyFinder } from './public-key.ts'
import { remoteKeySet } from './remote-key-set.ts'
import { readSecret } from './secret.ts'

/** The key or keys that verify signatures. Exactly one of the three is required. */
export type JwtKeyOptions =
  | {
      jwks: string | URL | JSONWebKeySet
      publicKey?: undefined
      secret?: undefined
    }
  | {
      publicKey: string | JWK | CryptoKey | KeyObject
      jwks?: undefined
      secret?: undefined
    }
  | {
      secret: string | Uint8Array
      jwks?: undefined
      publicKey?: undefined
    }

const NEVER_CHANGING = { version: () => 'constant', load: async () => {} }

/** Reads the key options. Throws a TypeError or RangeError that says what is wrong with them. */
export function readKeys({ jwks, publicKey, secret }: JwtKeyOptions): JwtKeys {
  const given = [jwks, publicKey, secret].filter((option) => option !== undefined)
  if (given.length !== 1) {
    throw new TypeError(
      `Exactly one of jwks, publicKey and secret is required; got ${given.length || 'none'}`,
    )
  }
  if (secret !== undefined) return { ...NEVER_CHANGING, ...readSecret(secret) }
  const algorithms = PUBLIC_KEY_ALGORITHMS
  if (typeof jwks === 'string' || jwks instanceof URL) return { ...remoteKeySet(jwks), algorithms }
  const findKey = publicKey === undefined ? localKeySet(jwks!) : publicKeyFinder(publicKey)
  return { ...NEVER_CHANGING, findKey, algorithms }
}
