import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  exportJWK,
  type FetchImplementation,
  importSPKI,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
  type KeyObject,
} from 'jose'
import { kindOf } from '../../lib/arguments.ts'
import { fetchJson, ServiceError, trustedUrl } from '../shared/service.ts'

/** Algorithms for a shared secret (RFC 7518, section 3.2). */
export const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const

/** Algorithms for a public key (RFC 7518, sections 3.3 to 3.5; RFC 8037; RFC 9864). */
export const PUBLIC_KEY_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const

/** The signature algorithms that a JWT may use. */
export type JwtAlgorithm = (typeof SECRET_ALGORITHMS | typeof PUBLIC_KEY_ALGORITHMS)[number]

/** The key or keys that verify signatures. Exactly one of the three is required. */
export type JwtKeyOptions =
  | {
      /** The URL of a key set (RFC 7517), which is fetched when it is needed, or the key set itself. */
      jwks: string | URL | JSONWebKeySet
      /**
       * Whether the key set may be fetched over `http:` from another host than this one. Anyone on the network path can
       * then replace the keys, so allow it only inside a cluster, for example. Default: false.
       */
      allowHttp?: boolean | undefined
      publicKey?: undefined
      secret?: undefined
    }
  | {
      /** A public key: as PEM (SPKI), as a JWK or as a key object. */
      publicKey: string | JWK | CryptoKey | KeyObject
      allowHttp?: undefined
      jwks?: undefined
      secret?: undefined
    }
  | {
      /** The shared secret of HMAC, at least as long as the hash. */
      secret: string | Uint8Array
      allowHttp?: undefined
      jwks?: undefined
      publicKey?: undefined
    }

/**
 * Reads the key options: how to find the key for a token's header, and the algorithms that fit the kind of key. Throws a
 * TypeError or RangeError that says what is wrong with them.
 */
export function readKeys({ jwks, publicKey, secret, allowHttp }: JwtKeyOptions): {
  // Inferred, it would name types that TypeScript 5.4, or an app without the DOM, doesn't have.
  findKey: JWTVerifyGetKey
  algorithms: readonly JwtAlgorithm[]
} {
  const given = [jwks, publicKey, secret].filter((option) => option !== undefined)
  if (given.length !== 1) {
    throw new TypeError(
      `Exactly one of jwks, publicKey and secret is required; got ${given.length || 'none'}`,
    )
  }
  if (secret !== undefined) return readSecret(secret)
  const findKey = publicKey === undefined ? readKeySet(jwks, allowHttp) : readPublicKey(publicKey)
  return { findKey, algorithms: PUBLIC_KEY_ALGORITHMS }
}

/** Reads a shared secret. It must have at least as many bits as the hash (RFC 7518, section 3.2). */
function readSecret(secret: string | Uint8Array) {
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
  if (algorithms.length > 0) return { findKey: () => key, algorithms }
  throw new RangeError(`secret must have at least 32 bytes; got ${key.length}`)
}

function readKeySet(jwks: unknown, allowHttp: boolean | undefined): JWTVerifyGetKey {
  // Not instanceof, since a DOM for tests has another URL class.
  if (typeof jwks === 'string' || 'href' in Object(jwks)) {
    return remoteKeySet(trustedUrl('jwks', jwks as string | URL, allowHttp))
  }
  const { keys } = Object(jwks) as JSONWebKeySet
  if (!Array.isArray(keys)) {
    throw new TypeError(`jwks must be a URL or a key set: { keys: [...] }; got ${kindOf(jwks)}`)
  }
  for (const key of keys) assertPublic('jwks', key)
  return createLocalJWKSet({ keys })
}

/** The cooldown after a failed fetch of a key set. */
const COOLDOWN_MS = 1000

/**
 * Finds keys in the key set of a URL. jose fetches it when it is first needed, when it is 10 minutes old, and when a token
 * names an unknown key, but not within 30 seconds after a successful fetch. jose has no cooldown after a failure: each
 * token of a flood would trigger a fetch. During the cooldown here, a fetch fails with the last error.
 */
function remoteKeySet(url: URL): JWTVerifyGetKey {
  let failure: { error: unknown; time: number } | undefined
  const fetchKeySet: FetchImplementation = async (_href, init) => {
    // The absolute difference, since the clock may be set back.
    if (failure && Math.abs(Date.now() - failure.time) < COOLDOWN_MS) throw failure.error
    try {
      const keySet = await fetchJson('jwks', url, init)
      if (isKeySet(keySet)) return Response.json(keySet)
      throw new ServiceError('jwks', url, 'responded with JSON that is not a key set with keys')
    } catch (error) {
      failure = { error, time: Date.now() }
      throw error
    }
  }
  return createRemoteJWKSet(url, { [customFetch]: fetchKeySet })
}

function isKeySet(value: unknown): boolean {
  const { keys } = Object(value)
  return Array.isArray(keys) && keys.length > 0 && keys.every((key) => kindOf(key) === 'an object')
}

/** The configured key can't be read. That is no fault of the token, so it must not become a 401. */
export class KeyError extends Error {}

function readPublicKey(publicKey: string | JWK | CryptoKey | KeyObject): JWTVerifyGetKey {
  if (typeof publicKey === 'string') return readPem(publicKey)
  assertPublic('publicKey', publicKey)
  const { asymmetricKeyType: type = 'rsa' } = publicKey as { asymmetricKeyType?: string }
  if (!['rsa', 'ec', 'ed25519'].includes(type)) throw new TypeError(unsupportedKey(type))
  // A copy of a JWK, since jose freezes it.
  const key = 'kty' in publicKey ? { ...publicKey } : publicKey
  return () => key
}

function readPem(text: string): JWTVerifyGetKey {
  // In an environment variable, a newline is often written as `\n`. Trimming removes a byte order mark too.
  const pem = text.replaceAll('\\n', '\n').trim()
  if (!pem.startsWith('-----BEGIN PUBLIC KEY-----')) {
    // Only the first line is shown, since the rest may be a private key.
    const got = /^-----BEGIN [A-Z ]+-----/.exec(pem)?.[0] ?? 'a string without such a line'
    throw new TypeError(
      `publicKey must begin with -----BEGIN PUBLIC KEY----- when it is a string; got ${got}`,
    )
  }
  let jwk: Promise<JWK> | undefined
  return () => (jwk ??= pemToJwk(pem))
}

/** Returns a JWK, since WebCrypto imports a key for one algorithm, and a PEM names it only in its ASN.1. */
async function pemToJwk(pem: string): Promise<JWK> {
  for (const algorithm of ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    try {
      return await exportJWK(await importSPKI(pem, algorithm, { extractable: true }))
    } catch {}
  }
  throw new KeyError(unsupportedKey('another PEM'))
}

function unsupportedKey(got: string): string {
  return `publicKey must be an RSA, ECDSA or Ed25519 key; got ${got}`
}

/** Throws a TypeError unless this is a public key. */
function assertPublic(option: string, key: unknown): void {
  const { kty, type }: any = Object(key)
  const isPublic = kty ? !['d', 'k', 'priv'].some((name) => name in Object(key)) : type === 'public'
  if (isPublic) return
  const got = kty || type ? 'a private or secret key' : kindOf(key)
  throw new TypeError(`${option} must hold public keys only; got ${got}`)
}
