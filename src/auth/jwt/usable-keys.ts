import { importJWK, type JSONWebKeySet, type JWK } from 'jose'

/** RFC 7518, sections 3.3 and 3.5. */
const MIN_RSA_BITS = 2048

/** The algorithm to import a key with that has no `alg`, by curve (`crv`) or else by type (`kty`). */
const ALGORITHMS: Record<string, string> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
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
  const { kty, crv, alg = ALGORITHMS[crv ?? kty!] } = jwk
  try {
    // On Deno, jose's type of a key lacks CryptoKey.
    const key = (await importJWK(jwk, alg)) as CryptoKey | Uint8Array
    if (key instanceof Uint8Array || key.type !== 'public') return false
    const { modulusLength = MIN_RSA_BITS } = key.algorithm as Partial<RsaKeyAlgorithm>
    return modulusLength >= MIN_RSA_BITS
  } catch {
    return false
  }
}
