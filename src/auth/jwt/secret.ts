import type { JWTVerifyGetKey } from 'jose'
import { kindOf } from '../../lib/arguments.ts'
import { type JwtAlgorithm, SECRET_ALGORITHMS } from './algorithms.ts'

/** The keys of a verifier. */
export interface JwtKeys {
  /** Finds the key for a token's header. */
  readonly findKey: JWTVerifyGetKey
  /** The algorithms that fit the kind of key. */
  readonly algorithms: readonly JwtAlgorithm[]
}

/** Reads a shared secret. It must have at least as many bits as the hash (RFC 7518, section 3.2). */
export function readSecret(secret: string | Uint8Array): JwtKeys {
  // A number would become that many zero bytes. The tag is compared because instanceof fails across realms.
  if (typeof secret !== 'string' && secret?.[Symbol.toStringTag] !== 'Uint8Array') {
    throw new TypeError(`secret must be a string or a Uint8Array; got ${kindOf(secret)}`)
  }
  // Copied, so that the caller may overwrite the original. A Buffer's slice() would not copy.
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (new TextDecoder().decode(key).includes('-----BEGIN ')) {
    throw new TypeError('secret must not be a PEM: pass a public key as publicKey')
  }
  const algorithms = SECRET_ALGORITHMS.filter((name) => key.length * 8 >= Number(name.slice(2)))
  if (algorithms.length === 0) {
    throw new RangeError(`secret must have at least 32 bytes; got ${key.length}`)
  }
  const imported: Record<string, Promise<CryptoKey>> = {}
  return {
    // jose would import the bytes for each token.
    findKey({ alg }) {
      const hash = `SHA-${alg!.slice(2)}`
      imported[hash] ??= crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, [
        'verify',
      ])
      return imported[hash]
    },
    algorithms,
  }
}
