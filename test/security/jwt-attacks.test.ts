import { createHash } from 'node:crypto'
import { base64url, CompactEncrypt, type CryptoKey, type JWTPayload } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { type JwtKeyOptions, jwtVerifier } from '../../src/auth/jwt.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import {
  AUDIENCE,
  goodClaims,
  ISSUER,
  makeKey,
  now,
  sign,
  startKeyServer,
} from '../src/auth/issuer.ts'
import { outputOf } from './output.ts'

const INVALID = 40102

const makeKeys = () =>
  Promise.all([makeKey('RS256', 'rsa-1'), makeKey('ES256', 'ec-1'), makeKey('EdDSA', 'ed-1')])
const keys = await makeKeys()
const [rsa, ec, ed] = keys
const strangers = await makeKeys()
const secret = crypto.getRandomValues(new Uint8Array(64))

const keyServer = await startKeyServer(keys)
/** Where the attacker's own keys are. */
const trap = await startKeyServer(strangers)
afterAll(() => Promise.all([keyServer.close(), trap.close()]))

const storeFor = (keys: JwtKeyOptions) =>
  createPlantStore(memoryStorage(), jwtVerifier({ ...keys, issuer: ISSUER, audience: AUDIENCE }))

/** Every way to be given keys: what is refused by one must be refused by all. */
const stores = {
  'a key set with a URL': storeFor({ jwks: keyServer.url }),
  'a key set': storeFor({ jwks: keyServer.jwks }),
  'a PEM of RSA': storeFor({ publicKey: rsa.pem }),
  'a PEM of ECDSA': storeFor({ publicKey: ec.pem }),
  'a JWK of Ed25519': storeFor({ publicKey: ed.jwk }),
  'a CryptoKey of RSA': storeFor({ publicKey: rsa.publicKey }),
  'a secret': storeFor({ secret }),
}

async function answerTo(store: { fetch(request: Request): Promise<Response> }, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await store.fetch(new Request('http://localhost/plants', { headers }))
  return response.ok ? 200 : (await response.json()).error
}

const encode = (value: unknown) =>
  base64url.encode(
    typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value),
  )

/** A token from its three parts, with a signature of one's own choice. */
function forge(header: unknown, payload: unknown, signature = ''): string {
  return `${encode(header)}.${encode(payload)}.${signature}`
}

/** Signs any header and any payload, which jose would refuse to. */
async function signAny(privateKey: CryptoKey, header: object, payload: unknown) {
  const input = `${encode(header)}.${encode(payload)}`
  const algorithm = { ...privateKey.algorithm, hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, privateKey, utf8(input))
  return `${input}.${base64url.encode(new Uint8Array(signature))}`
}

const refusedByAll: [name: string, token: string][] = []
const byTheIssuer: [name: string, token: string, answer: number][] = []

const good = await sign(ec)
const [goodHeader, goodPayload, goodSignature] = good.split('.') as [string, string, string]
const utf8 = (text: string) => new TextEncoder().encode(text)

// No signature.
for (const alg of ['none', 'NONE', '', null, ['none'], 'es256', 'HS1', 'dir', '__proto__']) {
  for (const signature of ['', goodSignature]) {
    const name = `alg ${JSON.stringify(alg)}, signature "${signature}"`
    refusedByAll.push([name, forge({ alg }, goodClaims(), signature)])
  }
}
refusedByAll.push(
  ['the last of two algs is none', forge('{"alg":"ES256","alg":"none"}', goodClaims())],
  ['the last of two algs is HS256', forge('{"alg":"ES256","alg":"HS256"}', goodClaims(), 'AA')],
)

// HMAC with what everybody knows.
const knownToAll = [JSON.stringify(keyServer.jwks), ...keys.map(({ pem }) => pem)]
for (const text of knownToAll) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8(text), algorithm, false, ['sign'])
  const token = await signAny(key, { alg: 'HS256', kid: 'rsa-1' }, goodClaims())
  refusedByAll.push([`HS256 with ${text.slice(0, 40)}`, token])
}

// A key that the token brings, points to, or asks for by a strange name. The trap has this very key.
const thumbprint = createHash('sha256').update('x').digest('base64url')
for (const key of strangers) {
  const { alg, kid, privateKey } = key
  const headers = {
    'nothing else': {},
    jwk: { jwk: key.jwk },
    'its URL': { jku: trap.url, x5u: trap.url },
    'its certificate': {
      x5c: [key.pem.replace(/-----[^-]+-----|\s/g, '')],
      x5t: thumbprint,
      'x5t#S256': thumbprint,
    },
    'a strange kid': { kid: '__proto__' },
    'a kid that is an object': { kid: {} },
  }
  for (const [name, header] of Object.entries(headers)) {
    const token = await signAny(privateKey, { alg, kid, ...header }, goodClaims())
    refusedByAll.push([`a stranger's ${alg} key, ${name}`, token])
  }
  const token = await sign({ ...key, kid: keys.find((other) => other.alg !== alg)!.kid })
  refusedByAll.push([`a stranger's ${alg} key, the kid of another kind of key`, token])
}

// A good token, tampered with.
const flipped = base64url.decode(goodSignature)
flipped[0]! ^= 1
const otherPayload = encode({ ...goodClaims(), sub: 'bob' })
// Zeros: CVE-2022-21449.
for (const [name, signature] of Object.entries({ flipped, zeros: new Uint8Array(64), none: '' })) {
  const token = `${goodHeader}.${goodPayload}.${encode(signature)}`
  refusedByAll.push([`a signature: ${name}`, token])
}
refusedByAll.push(
  ['another payload', `${goodHeader}.${otherPayload}.${goodSignature}`],
  ['another header', `${encode({ alg: 'ES256' })}.${goodPayload}.${goodSignature}`],
)

// Not JWTs at all.
const encrypted = await new CompactEncrypt(utf8(JSON.stringify(goodClaims())))
  .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
  .encrypt(secret)
refusedByAll.push(
  ['one part', 'a'],
  ['encrypted (JWE)', encrypted],
  ['the header no JSON', forge('alg=ES256', goodClaims(), goodSignature)],
  ['the header a list', forge([{ alg: 'none' }], goodClaims(), goodSignature)],
  ['1 MB', forge({ alg: 'ES256', kid: 'ec-1' }, 'x'.repeat(1e6), goodSignature)],
)

// From the issuer itself, but not for us, not now, or not what it should be.
async function issued(name: string, payload: unknown, header: object = {}, answer = INVALID) {
  const token = await signAny(ec.privateKey, { alg: ec.alg, kid: ec.kid, ...header }, payload)
  byTheIssuer.push([name, token, answer])
}

byTheIssuer.push(['as it should be', good, 200])
for (const claims of [
  ...['9999999999', null, [now() + 600], -1e300, undefined, now() - 1].map((exp) => ({ exp })),
  ...[now() + 60, 1e300, `${now()}`, null].map((nbf) => ({ nbf })),
  ...[undefined, null, [ISSUER], `${ISSUER}evil`, ISSUER.toUpperCase()].map((iss) => ({ iss })),
  ...[undefined, null, [], `${AUDIENCE}/`, [[AUDIENCE]], `x ${AUDIENCE}`].map((aud) => ({ aud })),
  ...[undefined, null, '', 7, ['alice'], { toString: 'alice' }].map((sub) => ({ sub })),
  ...[{ jkt: thumbprint }, { 'x5t#S256': thumbprint }, null].map((cnf) => ({ cnf })),
]) {
  const [[name, value]] = Object.entries(claims) as [[string, unknown]]
  const token = await sign(ec, claims as JWTPayload)
  byTheIssuer.push([`its ${name} ${JSON.stringify(value)}`, token, INVALID])
}
const text = JSON.stringify(goodClaims())
await issued('exp 1e999', text.replace(/"exp":\d+/, '"exp":1e999'))
await issued('sub in the prototype', text.replace('"sub":"alice"', '"__proto__":{"sub":"bob"}'))
await issued('a list', [goodClaims()])
for (const payload of ['', 'null', '{}', '{']) {
  await issued(`the payload ${JSON.stringify(payload)}`, payload)
}
await issued('not UTF-8', Buffer.from(text.replace('alice', 'é'), 'latin1'))
await issued('nested (JWT in JWT)', good, { cty: 'JWT' })

const ofStranger = { jku: trap.url, jwk: strangers[1].jwk }
await issued('beside keys of a stranger, which are ignored', goodClaims(), ofStranger, 200)
await issued('crit with an unknown name', goodClaims(), { crit: ['x-must'], 'x-must': true })
for (const crit of ['exp', [], ['exp'], ['b64'], null, ['__proto__']]) {
  await issued(`crit ${JSON.stringify(crit)}`, goodClaims(), { crit, exp: now() + 600 })
}
await issued('b64 false (RFC 7797)', '{}', { b64: false, crit: ['b64'] })
for (const kid of ['rsa-1', 'EC-1', 'none']) await issued(`kid ${kid}`, goodClaims(), { kid })

describe.each(Object.entries(stores))('with %s, nobody gets in by', (_, store) => {
  it.each(refusedByAll)('%s', async (_, token) => {
    expect(await answerTo(store, token)).toBe(INVALID)
  })
})

describe('from the issuer, and never printed, a token that is', () => {
  it.each(byTheIssuer)('%s', async (_, token, answer) => {
    const printed = await outputOf(async () => {
      expect(await answerTo(stores['a key set with a URL'], token)).toBe(answer)
      expect(await answerTo(stores['a key set'], token)).toBe(answer)
    })
    for (const part of token.split('.')) if (part.length > 8) expect(printed).not.toContain(part)
  })
})

describe('all of these tokens', () => {
  it('make the verifier fetch nothing that they point to', () => {
    expect(trap.requests).toBe(0)
  })
})
