import { base64url, importJWK, type JSONWebKeySet, type JWK } from 'jose'

/** RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2048

/** The algorithm to import a key with that has no `alg`, by curve (`crv`) or else by type (`kty`). */
const ALGORITHMS: Record<string, string> = {
  ...{ 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512', Ed25519: 'EdDSA' },
  RSA: 'RS256',
}

/**
 * Removes the keys that can't verify a signature: malformed, private, of an unknown type or curve, or too
 * short. jose throws when a token names one, which would become a 503 that any forged token could trigger.
 */
export async function onlyUsableKeys(jwks: JSONWebKeySet): Promise<JSONWebKeySet> {
  const areUsable = await Promise.all(jwks.keys.map(isUsable))
  return { ...jwks, keys: jwks.keys.filter((_, index) => areUsable[index]) }
}

async function isUsable(jwk: JWK): Promise<boolean> {
  const { kty, crv, alg = ALGORITHMS[crv ?? kty!], n } = jwk
  if (kty === 'RSA' && bitLength(n) < MIN_RSA_BITS) return false
  try {
    const key = await importJWK(jwk, alg)
    return 'type' in key && key.type === 'public'
  } catch {
    return false
  }
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
