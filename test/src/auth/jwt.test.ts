import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { base64url, exportPKCS8, importPKCS8, importSPKI, type JWTPayload } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Claims, type JwtVerifierOptions, jwtVerifier } from '../../../src/auth/jwt.ts'
import { AUDIENCE, ISSUER, makeKey, refusalOf, sign } from './issuer.ts'

const rsa = await makeKey('RS256', 'rsa')
const ec = await makeKey('ES256', 'ec')
const ed = await makeKey('EdDSA', 'ed')
const [otherEc, es384, es512, pss] = [
  await makeKey('ES256', 'ec'),
  await makeKey('ES384', 'es384'),
  await makeKey('ES512', 'es512'),
  await makeKey('PS256', 'pss'),
]
const checks = { issuer: ISSUER, audience: AUDIENCE }
/** A verifier of what `ec` signs. */
const verifierOf = (options?: Partial<JwtVerifierOptions>) =>
  jwtVerifier({ jwks: { keys: [ec.jwk] }, ...checks, ...options } as JwtVerifierOptions)
const fixed = await importSPKI(ec.pem, 'ES256', { extractable: false })
const secretKey = { alg: 'HS256', kid: 'secret', privateKey: new Uint8Array(64).fill(7) }

afterEach(() => void vi.useRealTimers())

describe('a token that is good', () => {
  it.each([
    ['a JWK', rsa, rsa.jwk],
    ['a CryptoKey of RSASSA', rsa, rsa.publicKey],
    ['a CryptoKey of RSA-PSS', pss, pss.publicKey],
    ['a CryptoKey of Ed25519', ed, ed.publicKey],
    ['a CryptoKey that is not extractable', ec, fixed],
    ['a KeyObject of node:crypto', ec, createPublicKey(ec.pem)],
    ['a PEM whose newlines are written as \\n', rsa, rsa.pem.replaceAll('\n', '\\n')],
    ['a PEM with a byte order mark', rsa, `\ufeff${rsa.pem}`],
    ['a PEM of RSA', rsa, rsa.pem],
    ['a PEM of P-256', ec, ec.pem],
    ['a PEM of P-384', es384, es384.pem],
    ['a PEM of P-521', es512, es512.pem],
    ['a PEM of Ed25519', ed, ed.pem],
  ])('passes with a public key that is %s', async (_, key, publicKey) => {
    const verify = jwtVerifier({ publicKey, ...checks })
    expect(await verify(await sign(key))).toEqual({ owner: 'alice' })
  })

  it('is signed with the one algorithm that a CryptoKey is for', async () => {
    const privateKey = await importPKCS8(await exportPKCS8(rsa.privateKey), 'PS256')
    const token = await sign({ ...rsa, alg: 'PS256', privateKey })
    expect(await jwtVerifier({ publicKey: rsa.publicKey, ...checks })(token)).toBeNull()
    expect(await jwtVerifier({ publicKey: rsa.pem, ...checks })(token)).not.toBeNull()
    const narrowed = jwtVerifier({ publicKey: rsa.pem, algorithms: ['RS256'], ...checks })
    expect(await narrowed(token)).toBeNull()
  })

  it('passes with a secret, as bytes, also of another realm, or as text, and with a key that the caller changed afterwards', async () => {
    const secret = Buffer.alloc(64, 7)
    const foreign = runInNewContext('new Uint8Array(64).fill(7)')
    const jwks = { keys: [ec.jwk] }
    const publicKey = { ...ec.jwk }
    const verifiers = [
      jwtVerifier({ secret, ...checks }),
      jwtVerifier({ secret: '\x07'.repeat(64), ...checks }),
      jwtVerifier({ secret: foreign, ...checks }),
      jwtVerifier({ jwks, ...checks }),
      jwtVerifier({ publicKey, ...checks }),
    ]
    const [bySecret, byKey] = [await sign(secretKey), await sign(ec)]
    const tokens = [bySecret, bySecret, bySecret, byKey, byKey]
    secret.fill(0)
    jwks.keys.pop()
    publicKey.x = 'AAAA'
    for (const [index, verify] of verifiers.entries()) {
      expect(await verify(tokens[index]!)).toEqual({ owner: 'alice' })
      expect(await verify(await sign({ ...secretKey, privateKey: secret }))).toBeNull()
    }
  })

  it('passes without issuer and audience only where both are waived', async () => {
    const token = await sign(ec, { iss: undefined, aud: undefined })
    const reasonFor = (issuer: string | false, audience: string | false) =>
      refusalOf(verifierOf({ issuer, audience }), token)
    expect(await reasonFor(false, false)).toBeUndefined()
    expect(await reasonFor(ISSUER, false)).toBe(`issuer is missing, expected "${ISSUER}"`)
    expect(await reasonFor(false, 'a')).toBe('audience is missing, expected "a"')
  })

  it('has the configured typ', async () => {
    const verify = verifierOf({ typ: 'at+jwt' })
    for (const typ of ['at+jwt', 'application/AT+JWT']) {
      expect(await verify(await sign(ec, {}, { typ }))).not.toBeNull()
    }
    for (const typ of ['JWT', 'at+jwt+x', '', null, ['at+jwt'], undefined]) {
      const got = typ === undefined ? 'missing' : JSON.stringify(typ)
      const reason = `typ is ${got}, expected "at+jwt"`
      expect(await refusalOf(verify, await sign(ec, {}, { typ }))).toBe(reason)
    }
  })
})

describe('a token that is refused', () => {
  const hs256 = { alg: 'HS256', kid: 'ec', privateKey: new Uint8Array(32) }
  const unsigned = (alg: string) => `${base64url.encode(JSON.stringify({ alg }))}.e30.AAAA`
  const NO_OWNER =
    'must be a non-empty string without U+0000 and lone surrogates, for the owner; got'
  it.each<[string | Promise<string>, string, object?]>([
    [sign(ec), `issuer is "${ISSUER}", expected "b"`, { issuer: 'b' }],
    [sign(ec), `audience is "${AUDIENCE}", expected "a" or "b"`, { audience: ['a', 'b'] }],
    [sign(hs256), 'algorithm is "HS256", expected "ES256"', { algorithms: ['ES256'] }],
    [unsigned('line\nbreak'), 'algorithm is missing, expected "ES256"', { algorithms: ['ES256'] }],
    [unsigned('none'), 'algorithm is "none", expected "ES256"', { algorithms: ['ES256'] }],
    [sign(ec, { aud: 'x'.repeat(1000) }), `audience is "${'x'.repeat(99)}, expected "${AUDIENCE}"`],
    [sign(ec, { sub: 'alice\0' }), `the claim sub ${NO_OWNER} a string`],
    [sign(ec), `the claim email ${NO_OWNER} undefined`, { owner: 'email' }],
    [sign(ec), `what the option owner returns ${NO_OWNER} null`, { owner: () => null }],
    [sign(ec, { exp: 1_700_000_000 }), 'it expired at 2023-11-14T22:13:20.000Z'],
    [sign(ec, { exp: undefined }), 'it has no exp'],
    [sign(ec, { nbf: 4_102_444_800 }), 'it is not valid before 2100-01-01T00:00:00.000Z'],
    [sign(ec, { nbf: '1' as never }), 'the claim nbf must be a number; got a string'],
    [sign({ ...ec, privateKey: otherEc.privateKey }), 'no key has made its signature'],
    [sign({ ...ec, kid: 'withdrawn' }), 'no usable key has its kid and alg'],
    [sign(ec, { cnf: {} }), 'it is sender-constrained (cnf), which is not supported'],
    ['opaque', 'it is not a signed JWT'],
    ['a b', 'it is longer than 16 KiB, or not a token68 (RFC 9110, section 11.2)'],
  ])('tells the app why: %#', async (token, reason, options) => {
    const verify = verifierOf(options)
    expect(await refusalOf(verify, await token)).toBe(reason)
    expect(await verify(await token)).toBeNull()
  })
})

it('A token has one spelling', async () => {
  const verify = verifierOf()
  const token = await sign(ec)
  const last = token.slice(-1)
  // The last character has six bits, of which a signature of 64 bytes uses two.
  for (const other of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const owner = (await verify(token.slice(0, -1) + other))?.owner
    expect(owner).toBe(other === last ? 'alice' : undefined)
  }
  for (const padding of ['=', '==']) expect(await verify(token + padding)).toBeNull()
})

describe('exp and nbf', () => {
  const at = async (claims: JWTPayload, clockToleranceSeconds?: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    const verify = verifierOf({ clockToleranceSeconds })
    return (await verify(await sign(ec, claims))) !== null
  }

  it.each([undefined, 10])('end and begin to the second, with a tolerance of %j', async (by) => {
    const difference = by ?? 0
    expect(await at({ exp: 1_800_000_001 - difference }, by)).toBe(true)
    expect(await at({ exp: 1_800_000_000 - difference }, by)).toBe(false)
    expect(await at({ nbf: 1_800_000_000 + difference }, by)).toBe(true)
    expect(await at({ nbf: 1_800_000_001 + difference }, by)).toBe(false)
  })
})

it('The owner is the configured claim, or what a function returns for the claims', async () => {
  const ownerOf = async (owner: JwtVerifierOptions['owner'], claims: JWTPayload) =>
    (await verifierOf({ owner })(await sign(ec, claims)))?.owner
  expect(await ownerOf('https://example/org', { 'https://example/org': 'acme' })).toBe('acme')
  expect(await ownerOf(({ iss, sub }) => `${iss} ${sub}`, {})).toBe(`${ISSUER} alice`)
})

describe('the scopes', () => {
  const byRole = ({ role }: Claims) =>
    role === 'gardener' ? (['plants:read', 'plants:write'] as const) : (['plants:read'] as const)

  it.each<[JWTPayload, JwtVerifierOptions['scopes'], unknown]>([
    [{}, undefined, undefined],
    [{ scope: 'openid plants:read' }, undefined, ['openid', 'plants:read']],
    [{ scp: ['plants:write', ''] }, undefined, ['plants:write']],
    [{ scp: 'plants:write plants:read' }, undefined, ['plants:write', 'plants:read']],
    [{ scope: 'plants:read', scp: 'plants:write' }, undefined, ['plants:read']],
    [{ scope: 'plants:read,x' }, undefined, ['plants:read,x']],
    ...['', 7, null, {}, true, [], [['plants:read']], { 'plants:read': true }].map(
      (scope): [JWTPayload, undefined, unknown] => [{ scope }, undefined, []],
    ),
    [{ permissions: ['plants:read'] }, 'permissions', ['plants:read']],
    [{ scope: 'plants:read' }, 'permissions', []],
    [{}, 'scope', []],
    [{ role: 'gardener' }, byRole, ['plants:read', 'plants:write']],
    [{}, (() => undefined) as never, []],
  ])('of %j with the option %s are %j', async (claims, scopes, granted) => {
    expect((await verifierOf({ scopes })(await sign(ec, claims)))!.scopes).toEqual(granted)
  })
})

describe('options that are wrong', () => {
  it('do not include a key set over http on this host, nor elsewhere with allowHttp', () => {
    for (const host of ['localhost:8080', '127.9.8.7', '[::1]']) {
      expect(() => jwtVerifier({ jwks: `http://${host}/k`, ...checks })).not.toThrow()
    }
    for (const host of ['keycloak:8080', 'keycloak.auth.svc', '10.0.0.7', 'localhost.example']) {
      const jwks = `http://${host}/k`
      const message = `jwks must be an https: URL, or set allowHttp; got http://${host}`
      for (const allowHttp of [undefined, 'false' as never]) {
        const create = () => jwtVerifier({ jwks, allowHttp, ...checks })
        expect(create).toThrow(new TypeError(message))
      }
      expect(() => jwtVerifier({ jwks, allowHttp: true, ...checks })).not.toThrow()
    }
  })

  const publicKey = (key: unknown) => ({ jwks: undefined, publicKey: key })
  const secret = (value: unknown, ...algorithms: string[]) => ({
    jwks: undefined,
    secret: value,
    ...(algorithms.length > 0 && { algorithms }),
  })
  const ALGORITHMS = 'RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519'
  const PUBLIC_ONLY = 'publicKey must hold public keys only; got'
  const CERTIFICATE = rsa.pem.replaceAll('PUBLIC KEY', 'CERTIFICATE')
  const PEM = 'when it is a string; got'
  const UNSUPPORTED = 'publicKey must be an RSA, ECDSA or Ed25519 key; got rsa-pss'
  it.each<[object, string]>([
    [{ algorithms: [] }, `algorithms must be some of ${ALGORITHMS} with this key`],
    [secret('x'.repeat(63), 'HS512'), 'algorithms must be some of HS256, HS384 with this key'],
    ...[[], ['a', ''], undefined].map((audience): [object, string] => [
      { audience },
      'audience must be the value or values of aud, or false to accept any audience; got',
    ]),
    [{ owner: 5 }, 'owner must be the name of a claim, or a function; got a number'],
    ...[-1, 3601].map((seconds): [object, string] => [
      { clockToleranceSeconds: seconds },
      `clockToleranceSeconds must be a whole number from 0 to 3600; got ${seconds}`,
    ]),
    [{ jwks: '/keys' }, 'jwks must be an absolute URL; got a string'],
    [{ jwks: 'ftp://localhost/k' }, 'jwks must be an https: URL, or set allowHttp; got ftp:'],
    [{ jwks: 'https://a:hunter2@b.example' }, 'jwks must be a URL without user name and password'],
    ...[
      { ...ec.jwk, d: 'AAAA' },
      { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AAAA', priv: 'AAAA' },
      { kty: 'oct', k: 'AAAA' },
    ].map((key): [object, string] => [
      { jwks: { keys: [key] } },
      'jwks must hold public keys only; got a private or secret key',
    ]),
    ...[
      { kty: 'EC', crv: 'P-256', d: 'hunter2' },
      ec.privateKey,
      createSecretKey(Buffer.alloc(32)),
    ].map((key): [object, string] => [publicKey(key), `${PUBLIC_ONLY} a private or secret key`]),
    [publicKey(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey), UNSUPPORTED],
    [publicKey('hunter2\n-----BEGIN PRIVATE KEY-----'), `${PEM} a string without such a line`],
    [secret('x'.repeat(31)), 'secret must have at least 32 bytes; got 31'],
    [secret(Buffer.from(CERTIFICATE)), 'secret must not be a PEM: pass a public key as publicKey'],
    [{ secret: 'x'.repeat(32) }, 'Exactly one of jwks, publicKey and secret is required; got 2'],
    [{ jwks: undefined }, 'Exactly one of jwks, publicKey and secret is required; got none'],
    // Several issuers might give the same sub to different people.
    ...[undefined, '', [ISSUER, 'https://b.example']].map((issuer): [object, string] => [
      { issuer },
      'issuer must be the value of iss, or false to accept any issuer; got',
    ]),
    [{ cacheMs: 3_600_001 }, 'cacheMs must be a whole number from 0 to 3600000; got 3600001'],
  ])('say what is needed and what was got: %j', (options, message) => {
    const create = () => verifierOf(options)
    expect(create).toThrow(message)
    expect(create).not.toThrow('hunter2')
  })
})

it('A public key that is not PEM after all makes the verifier throw instead of refusing tokens', async () => {
  const publicKey = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'
  await expect(jwtVerifier({ publicKey, ...checks })(await sign(ec))).rejects.toThrow(
    'publicKey must be an RSA, ECDSA or Ed25519 key; got another PEM',
  )
})
