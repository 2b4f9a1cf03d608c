import { base64url, type JSONWebKeySet, type JWK } from 'jose'

/** RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2048

/**
 * Removes the RSA keys that are too short or malformed. jose throws a TypeError for them, which would become a
 * 503 that any forged token could trigger.
 */
export function withoutWeakKeys(jwks: JSONWebKeySet): JSONWebKeySet {
  return { ...jwks, keys: jwks.keys.filter((key) => !isWeak(key)) }
}

function isWeak({ kty, n }: JWK): boolean {
  return kty === 'RSA' && bitLength(n) < MIN_RSA_BITS
}

function bitLength(encoded: unknown): number {
  const bytes = decode(encoded)
  const start = bytes.findIndex((byte) => byte !== 0)
  return start === -1 ? 0 : (bytes.length - start) * 8 - (Math.clz32(bytes[start]!) - 24)
}

function decode(encoded: unknown): Uint8Array {
  try {
    return base64url.decode(encoded as string)
  } catch {
    return new Uint8Array()
  }
}
