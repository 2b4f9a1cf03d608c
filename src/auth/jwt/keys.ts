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
import { fetchJson } from '../shared/fetch-json.ts'
import { trustedUrl } from '../shared/trusted-url.ts'

/** The algorithms (RFC 7518, section 3.1; RFC 8037) that a JWT may be signed with. */
export type JwtAlgorithm = (typeof SECRET_ALGORITHMS | typeof PUBLIC_KEY_ALGORITHMS)[number]

/** What a token's signature is checked with: exactly one of the three. */
export type JwtKeyOptions =
  | { jwks: string | URL | JSONWebKeySet; publicKey?: never; secret?: never }
  | { publicKey: string | JWK | CryptoKey | KeyObject; jwks?: never; secret?: never }
  | { secret: string | Uint8Array; jwks?: never; publicKey?: never }

/** What finds the key of a token, and the algorithms that the kind of key allows. */
interface JwtKeys {
  findKey: JWTVerifyGetKey
  allowed: readonly JwtAlgorithm[]
}

/** How long a key set that could not be had is not asked for again. */
const PAUSE_MS = 1000

const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const
const PUBLIC_KEY_ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const

/** Reads the key options, or throws a TypeError or RangeError that says what is wrong with them. */
export function readKeys({ jwks, publicKey, secret }: JwtKeyOptions): JwtKeys {
  const given = [jwks, publicKey, secret].filter((option) => option !== undefined)
  if (given.length !== 1) throw new TypeError('Give exactly one of jwks, publicKey and secret')
  if (secret !== undefined) return fromSecret(secret)
  const findKey = publicKey === undefined ? fromKeySet(jwks!) : fromPublicKey(publicKey)
  return { findKey, allowed: PUBLIC_KEY_ALGORITHMS }
}

/** RFC 7518, section 3.2: a secret has as many bits as the hash, or more. */
function fromSecret(secret: string | Uint8Array): JwtKeys {
  // A copy: the slice of a Buffer would not be one.
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : new Uint8Array(secret)
  if (new TextDecoder().decode(key).includes('-----BEGIN ')) {
    throw new TypeError('secret must not be a PEM: give a public key as publicKey')
  }
  const allowed = SECRET_ALGORITHMS.filter((name) => key.length * 8 >= Number(name.slice(2)))
  if (allowed.length === 0) throw new RangeError('secret must have 32 bytes or more')
  return { findKey: () => key, allowed }
}

function fromKeySet(jwks: string | URL | JSONWebKeySet): JWTVerifyGetKey {
  if (typeof jwks === 'string' || jwks instanceof URL) {
    return createRemoteJWKSet(trustedUrl('jwks', jwks), { [customFetch]: createKeySetFetch() })
  }
  const find = createLocalJWKSet(jwks)
  for (const key of jwks.keys) assertPublic('jwks', key)
  return find
}

/**
 * jose waits between two key sets that it can read, but not after one that it can't: then, a flood of
 * tokens would make as many requests.
 */
function createKeySetFetch(): FetchImplementation {
  let failed: { error: unknown; at: number } | undefined
  return async (url, init) => {
    // Either way, since a clock may be set back.
    if (failed && Math.abs(Date.now() - failed.at) < PAUSE_MS) throw failed.error
    try {
      const keySet = (await fetchJson(url, init)) as JSONWebKeySet
      createLocalJWKSet(keySet)
      if (keySet.keys.length === 0) throw new Error('The key set has no keys')
      return Response.json(keySet)
    } catch (error) {
      failed = { error, at: Date.now() }
      throw error
    }
  }
}

function fromPublicKey(publicKey: string | JWK | CryptoKey | KeyObject): JWTVerifyGetKey {
  if (typeof publicKey !== 'string') assertPublic('publicKey', publicKey)
  else if (!/^\s*-----BEGIN PUBLIC KEY-----/.test(publicKey)) {
    throw new TypeError('publicKey must begin with -----BEGIN PUBLIC KEY----- when it is a string')
  }
  let set: Promise<JWTVerifyGetKey> | undefined
  return async (header, token) => {
    set ??= toJwk(publicKey).then((jwk) => createLocalJWKSet({ keys: [jwk] }))
    // There is one key: what the token calls it doesn't matter.
    return (await set)({ ...header, kid: undefined }, token)
  }
}

function isJwk(key: JWK | CryptoKey | KeyObject): key is JWK {
  return 'kty' in key
}

function assertPublic(option: string, key: JWK | CryptoKey | KeyObject): void {
  const isPublic = isJwk(key) ? !('d' in key || 'k' in key || 'priv' in key) : key.type === 'public'
  if (!isPublic) throw new TypeError(`${option} must hold public keys only`)
}

async function toJwk(key: string | JWK | CryptoKey | KeyObject): Promise<JWK> {
  if (typeof key === 'string') return exportJWK(await importPem(key))
  if (isJwk(key)) return { ...key, kid: undefined }
  const jwk = await exportJWK(key)
  if (!('algorithm' in key && 'hash' in key.algorithm)) return jwk
  // A CryptoKey of RSA is for one algorithm, which its JWK doesn't tell.
  const { name, hash } = key.algorithm as RsaHashedKeyAlgorithm
  return { ...jwk, alg: `${name === 'RSA-PSS' ? 'PS' : 'RS'}${hash.name.slice(4)}` }
}

/** WebCrypto imports a key for an algorithm only, and a PEM tells it in ASN.1. */
async function importPem(pem: string): Promise<CryptoKey> {
  for (const algorithm of ['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
    try {
      return await importSPKI(pem, algorithm, { extractable: true })
    } catch {}
  }
  throw new TypeError('publicKey is no PEM of an RSA, an ECDSA or an Ed25519 key')
}
