import { base64url, CompactEncrypt, type JWTPayload } from 'jose'
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
  type SigningKey,
  sign,
  startKeyServer,
} from '../src/auth/issuer.ts'
import { outputOf } from './output.ts'

const INVALID = 40102

const makeKeys = () =>
  Promise.all([makeKey('RS256', 'rsa-1'), makeKey('ES256', 'ec-1'), makeKey('EdDSA', 'ed-1')])
const keys = await makeKeys()
const [rsa, ec, ed] = keys
const attackers = await makeKeys()
const secret = crypto.getRandomValues(new Uint8Array(64))

const keyServer = await startKeyServer(keys)
/** Where the attacker's own keys are. */
const trap = await startKeyServer(attackers)
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
  base64url.encode(value instanceof Uint8Array ? value : JSON.stringify(value))

/** A token from its three parts, with a signature of one's own choice. */
function forge(header: unknown, payload: unknown, signature: string): string {
  return `${encode(header)}.${encode(payload)}.${signature}`
}

/** Signs any header and any payload, which jose would refuse to. */
async function signAny({ privateKey }: SigningKey, header: object, payload: unknown) {
  const input = `${encode(header)}.${encode(payload)}`
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, privateKey, utf8(input))
  return `${input}.${encode(new Uint8Array(signature))}`
}

const refusedByAll: [name: string, token: string][] = []
const byTheIssuer: [name: string, token: string, answer: number][] = []

const good = await sign(ec)
const [goodHeader, goodPayload, goodSignature] = good.split('.') as [string, string, string]
const utf8 = (text: string) => new TextEncoder().encode(text)

// No signature.
for (const alg of ['none', 'NONE', '', null, ['none'], 'es256', 'dir', '__proto__']) {
  refusedByAll.push([`alg ${JSON.stringify(alg)}`, forge({ alg }, goodClaims(), goodSignature)])
}

// HMAC with what everybody knows.
for (const text of [JSON.stringify(keyServer.jwks), ...keys.map(({ pem }) => pem)]) {
  const token = await sign({ alg: 'HS256', kid: 'rsa-1', privateKey: utf8(text) })
  refusedByAll.push([`HS256 with ${text.slice(0, 40)}`, token])
}

// A key that the token brings, points to, or asks for by an odd name. The trap has this very key.
for (const key of attackers) {
  const headers = {
    'nothing else': {},
    jwk: { jwk: key.jwk },
    'its URL': { jku: trap.url, x5u: trap.url },
    'its certificate': { x5c: [key.pem.replace(/-----[^-]+-----|\s/g, '')] },
    'an odd kid': { kid: '__proto__' },
    'the kid of another kind of key': { kid: keys.find(({ alg }) => alg !== key.alg)!.kid },
  }
  for (const [name, header] of Object.entries(headers)) {
    refusedByAll.push([`an attacker's ${key.alg} key, ${name}`, await sign(key, {}, header)])
  }
}

// A good token, tampered with, and what is no signed token.
const otherPayload = encode({ ...goodClaims(), sub: 'bob' })
const encrypted = await new CompactEncrypt(utf8(JSON.stringify(goodClaims())))
  .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
  .encrypt(secret)
refusedByAll.push(
  ['another payload', `${goodHeader}.${otherPayload}.${goodSignature}`],
  ['another header', `${encode({ alg: 'ES256' })}.${goodPayload}.${goodSignature}`],
  // CVE-2022-21449.
  ['a signature of zeros', `${goodHeader}.${goodPayload}.${encode(new Uint8Array(64))}`],
  ['alg none, without a signature', forge({ alg: 'none' }, goodClaims(), '')],
  ['one part', 'a'],
  ['encrypted (JWE)', encrypted],
)

// From the issuer itself, but not for us, not now, or not what it should be.
byTheIssuer.push(['as it should be', good, 200])
for (const claims of [
  ...['9999999999', null, [now() + 600], -1e300, undefined, now() - 1].map((exp) => ({ exp })),
  ...[now() + 60, 1e300, `${now()}`, null].map((nbf) => ({ nbf })),
  ...[undefined, null, [ISSUER], `${ISSUER}evil`, ISSUER.toUpperCase()].map((iss) => ({ iss })),
  ...[undefined, null, [], `${AUDIENCE}/`, [[AUDIENCE]], `x ${AUDIENCE}`].map((aud) => ({ aud })),
  ...[undefined, null, '', 7, ['alice'], { toString: 'alice' }].map((sub) => ({ sub })),
  ...[{ jkt: 'AAAA' }, null].map((cnf) => ({ cnf })),
]) {
  const [[name, value]] = Object.entries(claims) as [[string, unknown]]
  const token = await sign(ec, claims as JWTPayload)
  byTheIssuer.push([`its ${name} ${JSON.stringify(value)}`, token, INVALID])
}
const endless = utf8(JSON.stringify({ ...goodClaims(), exp: 1 }).replace('"exp":1', '"exp":1e999'))
const ofAttacker = { jku: trap.url, jwk: attackers[1].jwk }
byTheIssuer.push(
  ['beside keys of an attacker, which are ignored', await sign(ec, {}, ofAttacker), 200],
  ['of no end', await signAny(ec, { alg: 'ES256' }, endless), INVALID],
  ['of a list', await signAny(ec, { alg: 'ES256' }, [goodClaims()]), INVALID],
  [
    'with an unknown crit',
    await signAny(ec, { alg: 'ES256', crit: ['x'], x: 1 }, goodClaims()),
    INVALID,
  ],
  ['with the kid of another key', await sign(ec, {}, { kid: 'rsa-1' }), INVALID],
)

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

it('All of these tokens make the verifier fetch nothing that they point to', () => {
  expect(trap.requests).toBe(0)
})
