import {
  type CryptoKey,
  createLocalJWKSet,
  exportJWK,
  importSPKI,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
  type KeyObject,
} from 'jose'
import { kindOf } from '../../lib/arguments.ts'

type PublicKey = string | JWK | CryptoKey | KeyObject

/** Creates a function that returns this key for every token whose algorithm fits it. */
export function publicKeyFinder(publicKey: PublicKey): JWTVerifyGetKey {
  if (typeof publicKey !== 'string') assertPublic('publicKey', publicKey)
  else if (!/^\s*-----BEGIN PUBLIC KEY-----/.test(publicKey)) {
    // Only the first line is shown, since the rest may be a private key.
    const got =
      /^\s*(-----BEGIN [A-Z ]+-----)/.exec(publicKey)?.[1] ?? 'a string without such a line'
    throw new TypeError(
      `publicKey must begin with -----BEGIN PUBLIC KEY----- when it is a string; got ${got}`,
    )
  }
  const findKey = lazyKeySet(async () => ({ keys: [await toJwk(publicKey)] }))
  // There is only one key, so the token's name for it doesn't matter.
  return (header, token) => findKey({ ...header, kid: undefined }, token)
}

/** Creates a function that finds keys in a key set, which is made when the first token comes. */
export function lazyKeySet(make: () => Promise<JSONWebKeySet>): JWTVerifyGetKey {
  let keySet: Promise<JWTVerifyGetKey> | undefined
  return async (header, token) => {
    keySet ??= make().then(createLocalJWKSet)
    return (await keySet)(header, token)
  }
}

/** Throws a TypeError unless this is a public key. */
export function assertPublic(option: string, key: JWK | CryptoKey | KeyObject): void {
  if (typeof key !== 'object' || key === null) throw notPublicError(option, kindOf(key))
  const isPublic = isJwk(key) ? !('d' in key || 'k' in key || 'priv' in key) : key.type === 'public'
  if (isPublic) return
  const isSecret = isJwk(key) || key.type === 'private' || key.type === 'secret'
  throw notPublicError(option, isSecret ? 'a private or secret key' : kindOf(key))
}

function notPublicError(option: string, got: string): TypeError {
  return new TypeError(`${option} must hold public keys only; got ${got}`)
}

function isJwk(key: JWK | CryptoKey | KeyObject): key is JWK {
  return 'kty' in key
}

async function toJwk(key: PublicKey): Promise<JWK> {
  if (typeof key === 'string') return exportJWK(await importPem(key))
  if (isJwk(key)) return { ...key, kid: undefined }
  const jwk = await exportJWK(key)
  if (!('algorithm' in key)) return jwk
  // An RSA CryptoKey is for one algorithm, which its JWK doesn't contain.
  const { name, hash } = key.algorithm as Partial<RsaHashedKeyAlgorithm>
  return hash ? { ...jwk, alg: `${name === 'RSA-PSS' ? 'PS' : 'RS'}${hash.name.slice(4)}` } : jwk
}

/** Tries all algorithms: WebCrypto imports a key for one of them, and a PEM names it only in its ASN.1. */
async function importPem(pem: string): Promise<CryptoKey> {
  for (const algorithm of ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    try {
      return await importSPKI(pem, algorithm, { extractable: true })
    } catch {}
  }
  throw new TypeError('publicKey must be the PEM of an RSA, ECDSA or Ed25519 key; got another PEM')
}
