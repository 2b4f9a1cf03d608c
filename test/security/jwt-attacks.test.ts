import { createHash } from 'node:crypto'
import { base64url, CompactEncrypt, CompactSign, type JWTPayload } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { type JwtVerifierOptions, jwtVerifier } from '../../src/auth/jwt.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import {
  AUDIENCE,
  goodClaims,
  ISSUER,
  makeKey,
  now,
  type SigningKey,
  sign,
  startKeyServer,
} from '../src/auth/issuer.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import { outputOf } from './output.ts'

const MISSING = 40101
const INVALID = 40102

const [rsa, ec, ed] = [
  await makeKey('RS256', 'rsa-1'),
  await makeKey('ES256', 'ec-1'),
  await makeKey('EdDSA', 'ed-1'),
]
const keys = [rsa, ec, ed]
const stranger = {
  RS256: await makeKey('RS256', 'rsa-1'),
  ES256: await makeKey('ES256', 'ec-1'),
  EdDSA: await makeKey('EdDSA', 'ed-1'),
}
const secret = crypto.getRandomValues(new Uint8Array(64))
const checks = { issuer: ISSUER, audience: AUDIENCE }

const keyServer = await startKeyServer(keys)
/** Where the attacker's own keys are. */
const trap = await startKeyServer(Object.values(stranger))
afterAll(() => Promise.all([keyServer.close(), trap.close()]))

function storeFor(options: JwtVerifierOptions) {
  return createPlantStore(memoryStorage(), jwtVerifier(options))
}

/** Every way to be given keys: what is refused by one must be refused by all. */
const stores = {
  'a key set with a URL': storeFor({ jwks: keyServer.url, ...checks }),
  'a key set': storeFor({ jwks: keyServer.jwks, ...checks }),
  'a PEM of RSA': storeFor({ publicKey: rsa.pem, ...checks }),
  'a PEM of ECDSA': storeFor({ publicKey: ec.pem, ...checks }),
  'a JWK of Ed25519': storeFor({ publicKey: ed.jwk, ...checks }),
  'a CryptoKey of RSA': storeFor({ publicKey: rsa.publicKey, ...checks }),
  'a secret': storeFor({ secret, ...checks }),
}

async function answerTo(store: { fetch(request: Request): Promise<Response> }, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const request = new Request('http://localhost/plants', { headers })
  const response = checkAgainstDocument(request, await store.fetch(request))
  const text = await response.text()
  if (response.status === 200) return 200
  expect(response.status).toBe(401)
  const seen = text + JSON.stringify([...response.headers])
  expect(seen).not.toContain('alice')
  for (const part of token.split('.')) if (part.length > 8) expect(seen).not.toContain(part)
  return JSON.parse(text).error
}

const encode = (value: unknown) =>
  base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))

/** A token from its three parts, with a signature of one's own choice. */
function forge(header: unknown, payload: unknown, signature: string | Uint8Array = ''): string {
  const tail = typeof signature === 'string' ? signature : base64url.encode(signature)
  return `${encode(header)}.${encode(payload)}.${tail}`
}

/** Signs with HMAC, which jose refuses to with such keys. */
async function hmac(payload: unknown, material: Uint8Array<ArrayBuffer>) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', material, algorithm, false, ['sign'])
  const input = `${encode({ alg: 'HS256', kid: 'rsa-1' })}.${encode(payload)}`
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(input))
  return `${input}.${base64url.encode(new Uint8Array(signature))}`
}

/** Signs with one of the issuer's own keys, whatever the text of the payload is. */
function signText({ alg, kid, privateKey }: SigningKey, text: string | Uint8Array, header = {}) {
  return new CompactSign(typeof text === 'string' ? new TextEncoder().encode(text) : text)
    .setProtectedHeader({ alg, kid, ...header })
    .sign(privateKey, { crit: { 'x-must': true, exp: true } })
}

const refusedByAll: [name: string, token: string][] = []
const byTheIssuer: [name: string, token: string, answer: number][] = []

const good = await sign(ec)
const [goodHeader, goodPayload, goodSignature] = good.split('.') as [string, string, string]
const utf8 = (text: string) => new TextEncoder().encode(text)

// No signature.
for (const alg of ['none', 'NONE', '']) {
  for (const signature of ['', goodSignature]) {
    refusedByAll.push([
      `alg ${JSON.stringify(alg)}, signature ${signature}`,
      forge({ alg }, goodClaims(), signature),
    ])
  }
}
for (const alg of [null, ['none'], 'es256', 'HS1', 'dir', '__proto__']) {
  refusedByAll.push([`alg ${JSON.stringify(alg)}`, forge({ alg }, goodClaims(), goodSignature)])
}
refusedByAll.push(
  ['the last of two algs is none', forge('{"alg":"ES256","alg":"none"}', goodClaims())],
  ['the last of two algs is HS256', forge('{"alg":"ES256","alg":"HS256"}', goodClaims(), 'AA')],
)

// HMAC with what everybody knows.
const knownToAll = [JSON.stringify(keyServer.jwks), ...keys.map(({ pem }) => pem)]
for (const text of knownToAll) {
  const token = await hmac(goodClaims(), utf8(text))
  refusedByAll.push([`HS256 with ${text.slice(0, 40)}`, token])
}

// A key that the token brings, points to, or asks for by a strange name. The trap has this very key.
const thumbprint = createHash('sha256').update('x').digest('base64url')
for (const [alg, key] of Object.entries(stranger)) {
  const headers = {
    'nothing else': {},
    jwk: { jwk: key.jwk },
    'its URL': { jku: trap.url, x5u: trap.url },
    'its certificate': { x5c: [derOf(key)], x5t: thumbprint, 'x5t#S256': thumbprint },
    'a strange kid': { kid: '__proto__' },
    'a kid that is an object': { kid: {} },
  }
  for (const [name, header] of Object.entries(headers)) {
    const token = await signAny(key, { alg, kid: key.kid, ...header }, encode(goodClaims()))
    refusedByAll.push([`a stranger's ${alg} key, ${name}`, token])
  }
  const token = await sign({ ...key, kid: keys.find((other) => other.alg !== alg)!.kid })
  refusedByAll.push([`a stranger's ${alg} key, the kid of another kind of key`, token])
}

function derOf({ pem }: SigningKey): string {
  return pem.replace(/-----[^-]+-----|\s/g, '')
}

/** Signs any header, which jose would refuse to. */
async function signAny({ privateKey }: SigningKey, header: object, payload: string) {
  const input = `${encode(header)}.${payload}`
  const algorithm = { ...privateKey.algorithm, hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, privateKey, utf8(input))
  return `${input}.${base64url.encode(new Uint8Array(signature))}`
}

// A good token, tampered with.
const flipped = base64url.decode(goodSignature)
flipped[0]! ^= 1
const otherPayload = encode({ ...goodClaims(), sub: 'bob' })
refusedByAll.push(
  ['another payload', `${goodHeader}.${otherPayload}.${goodSignature}`],
  ['another header', `${encode({ alg: 'ES256' })}.${goodPayload}.${goodSignature}`],
  ['a bit of the signature flipped', `${goodHeader}.${goodPayload}.${base64url.encode(flipped)}`],
  ['no signature', `${goodHeader}.${goodPayload}.`],
  [
    'a signature of zeros (CVE-2022-21449)',
    `${goodHeader}.${goodPayload}.${base64url.encode(new Uint8Array(64))}`,
  ],
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
  [
    '1 MB',
    forge({ alg: 'ES256', kid: 'ec-1' }, { ...goodClaims(), x: 'x'.repeat(1e6) }, goodSignature),
  ],
)

// From the issuer itself, but not for us, not now, or not what it should be.
const headed = async (name: string, header: Record<string, unknown>, answer = INVALID) =>
  byTheIssuer.push([name, await signText(ec, JSON.stringify(goodClaims()), header), answer])
const written = async (name: string, payload: string | Uint8Array) =>
  byTheIssuer.push([name, await signText(ec, payload), INVALID])

const text = (more: string) => JSON.stringify(goodClaims()).replace(/}$/, `,${more}}`)
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
await written('exp 1e999', text('"exp":1e999'))
await written(
  'sub in the prototype',
  text('"__proto__":{"sub":"bob"}').replace('"sub":"alice",', ''),
)
await written('a list', `[${JSON.stringify(goodClaims())}]`)
for (const payload of ['', 'null', '{}', '{']) {
  await written(`the payload ${JSON.stringify(payload)}`, payload)
}
await written('not UTF-8', Buffer.from(JSON.stringify({ ...goodClaims(), sub: 'é' }), 'latin1'))
byTheIssuer.push(['nested (JWT in JWT)', await signText(ec, good, { cty: 'JWT' }), INVALID])

const ofStranger = { jku: trap.url, jwk: stranger.ES256.jwk }
await headed('beside keys of a stranger, which are ignored', ofStranger, 200)
await headed('crit with an unknown name', { crit: ['x-must'], 'x-must': true })
await headed('crit with a claim', { crit: ['exp'], exp: now() + 600 })
for (const crit of ['exp', [], ['b64'], null, ['__proto__']]) {
  const token = await signAny(ec, { alg: 'ES256', kid: 'ec-1', crit }, goodPayload)
  byTheIssuer.push([`crit ${JSON.stringify(crit)}`, token, INVALID])
}
const unencoded = { alg: 'ES256', kid: 'ec-1', b64: false, crit: ['b64'] }
byTheIssuer.push(['b64 false (RFC 7797)', await signAny(ec, unencoded, 'e30'), INVALID])
for (const kid of ['rsa-1', 'EC-1', 'none']) await headed(`kid ${kid}`, { kid })

// Not token68, so it isn't even looked at.
byTheIssuer.push(
  ['a space inside', good.replace('.', '. '), MISSING],
  ['in JSON', JSON.stringify({ protected: goodHeader }), MISSING],
)

describe.each(Object.entries(stores))('with %s, nobody gets in by', (_, store) => {
  it.each(refusedByAll)('%s', async (_, token) => {
    expect(await answerTo(store, token)).toBe(INVALID)
  })
})

describe('from the issuer, a token that is', () => {
  it.each(byTheIssuer)('%s', async (_, token, answer) => {
    expect(await answerTo(stores['a key set with a URL'], token)).toBe(answer)
    expect(await answerTo(stores['a key set'], token)).toBe(answer)
  })
})

describe('all of these tokens', () => {
  it('make the verifier fetch nothing that they point to', () => {
    expect(trap.requests).toBe(0)
  })

  it('are not printed, nor any part of them', async () => {
    const output = await outputOf(async () => {
      for (const [, token] of [...refusedByAll, ...byTheIssuer]) {
        await answerTo(stores['a key set'], token)
      }
    })
    const parts = [...refusedByAll, ...byTheIssuer].flatMap(([, token]) => token.split('.'))
    for (const part of parts) if (part.length > 8) expect(output).not.toContain(part)
  })
})
