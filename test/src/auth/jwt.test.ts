import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { exportPKCS8, importPKCS8, type JWTPayload } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type JwtVerifierOptions, jwtVerifier } from '../../../src/auth/jwt.ts'
import { AUDIENCE, ISSUER, makeKey, sign } from './issuer.ts'

const rsa = await makeKey('RS256', 'rsa')
const ec = await makeKey('ES256', 'ec')
const ed = await makeKey('EdDSA', 'ed')
const [es384, es512, pss] = [
  await makeKey('ES384', 'es384'),
  await makeKey('ES512', 'es512'),
  await makeKey('PS256', 'pss'),
]
const checks = { issuer: ISSUER, audience: AUDIENCE }
const secretKey = { alg: 'HS256', kid: 'secret', privateKey: new Uint8Array(64).fill(7) }

afterEach(() => void vi.useRealTimers())

describe('a token that is good', () => {
  it.each([
    ['a JWK', rsa, rsa.jwk],
    ['a CryptoKey of RSASSA', rsa, rsa.publicKey],
    ['a CryptoKey of RSA-PSS', pss, pss.publicKey],
    ['a CryptoKey of Ed25519', ed, ed.publicKey],
    ['a KeyObject of node:crypto', ec, createPublicKey(ec.pem)],
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

  it('passes with a secret, given as bytes or as text', async () => {
    const token = await sign(secretKey)
    for (const secret of [secretKey.privateKey, '\x07'.repeat(64)]) {
      expect(await jwtVerifier({ secret, ...checks })(token)).toEqual({ owner: 'alice' })
    }
  })

  it('passes with a secret whose bytes the caller overwrote afterwards', async () => {
    const secret = Buffer.alloc(64, 7)
    const verify = jwtVerifier({ secret, ...checks })
    secret.fill(0)
    expect(await verify(await sign(secretKey))).toEqual({ owner: 'alice' })
    expect(await verify(await sign({ ...secretKey, privateKey: secret }))).toBeNull()
  })

  it('passes for one of several audiences, on either side', async () => {
    const verify = jwtVerifier({
      jwks: { keys: [ec.jwk] },
      issuer: ISSUER,
      audience: ['https://old.example', AUDIENCE],
    })
    expect(await verify(await sign(ec, { aud: ['https://api.example', AUDIENCE] }))).not.toBeNull()
  })

  it('passes without issuer and audience only where both are waived', async () => {
    const token = await sign(ec, { iss: undefined, aud: undefined })
    const keys = { jwks: { keys: [ec.jwk] } }
    expect(await jwtVerifier({ ...keys, issuer: false, audience: false })(token)).not.toBeNull()
    expect(await jwtVerifier({ ...keys, issuer: ISSUER, audience: false })(token)).toBeNull()
    expect(await jwtVerifier({ ...keys, issuer: false, audience: AUDIENCE })(token)).toBeNull()
  })

  it('has the configured typ', async () => {
    const verify = jwtVerifier({ jwks: { keys: [ec.jwk] }, typ: 'at+jwt', ...checks })
    for (const typ of ['at+jwt', 'application/AT+JWT']) {
      expect(await verify(await sign(ec, {}, { typ }))).not.toBeNull()
    }
    for (const typ of ['JWT', 'at+jwt+x', '', null, ['at+jwt'], undefined]) {
      expect(await verify(await sign(ec, {}, { typ }))).toBeNull()
    }
  })
})

describe('exp and nbf', () => {
  const at = async (claims: JWTPayload, clockToleranceSeconds?: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    const verify = jwtVerifier({ jwks: { keys: [ec.jwk] }, clockToleranceSeconds, ...checks })
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

describe('the owner', () => {
  const ownerOf = async (owner: JwtVerifierOptions['owner'], claims: JWTPayload) =>
    (await jwtVerifier({ jwks: { keys: [ec.jwk] }, owner, ...checks })(await sign(ec, claims)))
      ?.owner

  it('is the configured claim', async () => {
    expect(await ownerOf('https://example/org', { 'https://example/org': 'acme' })).toBe('acme')
  })

  it('is what a function returns for the claims', async () => {
    expect(await ownerOf(({ iss, sub }) => `${iss} ${sub}`, {})).toBe(
      'https://login.example/ alice',
    )
    expect(await ownerOf(() => null, {})).toBeUndefined()
  })

  it('must be text that every storage can keep', async () => {
    for (const sub of ['a\0', '\ud800']) expect(await ownerOf(undefined, { sub })).toBeUndefined()
  })
})

describe('the scopes', () => {
  const scopesOf = async (claims: JWTPayload, scopes?: JwtVerifierOptions['scopes']) =>
    (await jwtVerifier({ jwks: { keys: [ec.jwk] }, scopes, ...checks })(await sign(ec, claims)))!
      .scopes

  it('come from scope, or else from scp, and unknown ones are ignored', async () => {
    expect(await scopesOf({ scope: 'openid plants:read email' })).toEqual(['plants:read'])
    expect(await scopesOf({ scp: ['plants:write', 'plants:admin'] })).toEqual(['plants:write'])
    expect(await scopesOf({ scp: 'plants:write plants:read' })).toHaveLength(2)
    expect(await scopesOf({ scope: 'plants:read', scp: 'plants:write' })).toEqual(['plants:read'])
    expect(
      await scopesOf({ scope: 'Plants:Read plants:* plants plants:read,plants:write' }),
    ).toEqual([])
  })

  it('are none if the claim is malformed', async () => {
    for (const scope of ['', 7, null, {}, true, [], [['plants:read']], { 'plants:read': true }]) {
      expect(await scopesOf({ scope })).toEqual([])
    }
  })

  it('are all if the token has neither claim', async () => {
    expect(await scopesOf({})).toBeUndefined()
  })

  it('are none if the configured claim is missing', async () => {
    expect(await scopesOf({ permissions: ['plants:read'] }, 'permissions')).toEqual(['plants:read'])
    expect(await scopesOf({ scope: 'plants:read' }, 'permissions')).toEqual([])
    expect(await scopesOf({}, 'scope')).toEqual([])
  })

  it('are what a function returns for the claims', async () => {
    const byRole = ({ role }: Record<string, unknown>) =>
      role === 'gardener' ? (['plants:read', 'plants:write'] as const) : (['plants:read'] as const)
    expect(await scopesOf({ role: 'gardener' }, byRole)).toHaveLength(2)
    expect(await scopesOf({}, byRole)).toEqual(['plants:read'])
    expect(await scopesOf({}, (() => undefined) as never)).toEqual([])
  })
})

describe('options that are wrong', () => {
  const jwks = { keys: [ec.jwk] }
  const good = { jwks, ...checks }

  it.each<[string, unknown]>([
    ['two keys', { ...good, secret: 'x'.repeat(32) }],
    ['an empty issuer', { ...good, issuer: '' }],
    ['several issuers, whose subs may clash', { ...good, issuer: [ISSUER, 'https://b.example'] }],
    ['no audience', { jwks, issuer: ISSUER }],
    ['an empty list of audiences', { ...good, audience: [] }],
    ['a secret algorithm with public keys', { ...good, algorithms: ['RS256', 'HS256'] }],
    [
      'a public algorithm with a secret',
      { ...checks, secret: 'x'.repeat(32), algorithms: ['RS256'] },
    ],
    [
      'an algorithm too long for the secret',
      { ...checks, secret: 'x'.repeat(63), algorithms: ['HS512'] },
    ],
    ['a negative tolerance', { ...good, clockToleranceSeconds: -1 }],
    ['a tolerance for ever', { ...good, clockToleranceSeconds: Number.POSITIVE_INFINITY }],
    ['a tolerance that is not a number', { ...good, clockToleranceSeconds: Number.NaN }],
    ['a secret that is an array', { ...checks, secret: new Array(32).fill(7) }],
    ['a PEM as a secret', { ...checks, secret: rsa.pem }],
    ['the bytes of a PEM as a secret', { ...checks, secret: Buffer.from(rsa.pem) }],
    ['a PEM that says first whose it is as a secret', { ...checks, secret: `CN=a\n${rsa.pem}` }],
    ['a key set with a private key', { ...checks, jwks: { keys: [{ ...ec.jwk, d: 'AAAA' }] } }],
    ['a key set with a secret', { ...checks, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }],
    [
      'a key set with a private key of ML-DSA',
      { ...checks, jwks: { keys: [{ kty: 'AKP', alg: 'ML-DSA-44', pub: 'AAAA', priv: 'AAAA' }] } },
    ],
    ['a list of audiences with an empty one', { ...good, audience: ['a', ''] }],
    ['a key set that is null', { ...checks, jwks: null }],
    ['a file URL', { ...checks, jwks: 'file:///etc/jwks.json' }],
  ])('are refused at once: %s', (_, options) => {
    expect(() => jwtVerifier(options as JwtVerifierOptions)).toThrow()
  })

  it.each([
    'https://a.example/k',
    'http://localhost:8080/k',
    'http://keycloak:8080/k',
    'http://[::1]/k',
  ])('do not include %s as a URL of keys', (jwks) => {
    expect(() => jwtVerifier({ jwks, ...checks })).not.toThrow()
  })

  it('include names that are misspelt, and the message has the right ones', () => {
    expect(() => jwtVerifier({ ...good, clockTolerance: 5 } as never)).toThrow(
      'jwtVerifier has no option clockTolerance; the options are jwks, publicKey, secret, issuer, audience, algorithms, typ, clockToleranceSeconds, owner, scopes, cacheMs',
    )
    for (const [options, got] of [
      [undefined, 'undefined'],
      [null, 'null'],
    ]) {
      expect(() => jwtVerifier(options as never)).toThrow(
        `jwtVerifier takes an object of options; got ${got}`,
      )
    }
    // The function itself was passed to createPlantStore.
    expect(() => jwtVerifier('token' as never)).toThrow(
      'Pass jwtVerifier({ … }) to createPlantStore',
    )
  })

  const publicKey = (key: unknown) => ({ jwks: undefined, publicKey: key })
  const PUBLIC_ONLY = 'publicKey must hold public keys only; got'
  const PEM = 'when it is a string; got'
  it.each<[object, string]>([
    [{ algorithms: 'RS256' }, "algorithms must be an array such as ['RS256']; got a string"],
    [{ algorithms: ['none', 5] }, 'Ed25519 with this key; got none, a number'],
    [{ algorithms: [] }, 'Ed25519 with this key; got an empty array'],
    [{ audience: 5 }, 'or false to accept any audience; got a number'],
    [{ typ: 5 }, 'typ must be a string that is not empty; got a number'],
    [{ typ: '' }, 'typ must be a string that is not empty; got an empty string'],
    [{ owner: 5 }, 'owner must be the name of a claim, or a function; got a number'],
    [{ owner: '' }, 'owner must be the name of a claim, or a function; got an empty string'],
    [{ scopes: ['scope'] }, 'scopes must be the name of a claim, or a function; got an array'],
    [
      { clockToleranceSeconds: '5' },
      'clockToleranceSeconds must be a number, 0 or more; got a string',
    ],
    [{ jwks: {} }, 'jwks must be a URL or a key set: { keys: [...] }; got an object'],
    [{ jwks: '/keys' }, 'jwks must be an absolute URL; got a string'],
    [{ jwks: 'http://login.example/keys?a' }, '.local and .internal); got http://login.example'],
    [{ jwks: 'http://10.0.0.7/keys' }, '.local and .internal); got http://10.0.0.7'],
    [{ jwks: 'https://a:hunter2@b.example' }, '.internal); got a URL with credentials'],
    [{ jwks: { keys: [null] } }, 'jwks must hold public keys only; got null'],
    ...[
      { kty: 'EC', crv: 'P-256', d: 'hunter2' },
      ec.privateKey,
      generateKeyPairSync('ed25519').privateKey,
      createSecretKey(Buffer.alloc(32)),
    ].map((key): [object, string] => [publicKey(key), `${PUBLIC_ONLY} a private or secret key`]),
    [publicKey({}), `${PUBLIC_ONLY} an object`],
    [publicKey('hunter2\n-----BEGIN PRIVATE KEY-----'), `${PEM} a string without such a line`],
    [publicKey('-----BEGIN PRIVATE KEY-----\nhunter2'), `${PEM} -----BEGIN PRIVATE KEY-----`],
    [publicKey('hunter2'), `${PEM} a string without such a line`],
    [{ jwks: undefined, secret: 64 }, 'secret must be a string or a Uint8Array; got a number'],
    [{ jwks: undefined, secret: '' }, 'secret must have at least 32 bytes; got 0'],
    [{ jwks: undefined, secret: 'hunter2' }, 'secret must have at least 32 bytes; got 7'],
    [{ jwks: undefined, secret: 'x'.repeat(31) }, 'secret must have at least 32 bytes; got 31'],
    [{ jwks: undefined }, 'Exactly one of jwks, publicKey and secret is required; got none'],
    [{ issuer: undefined }, 'issuer must be the value of iss, or false to accept any issuer; got'],
    [{ cacheMs: 3_600_001 }, 'cacheMs must be a whole number from 0 to 3600000; got 3600001'],
  ])('say what is needed and what was got: %j', (options, message) => {
    const create = () => jwtVerifier({ ...good, ...options } as JwtVerifierOptions)
    expect(create).toThrow(message)
    expect(create).not.toThrow('hunter2')
  })

  it('do not include undefined', () => {
    const unset = { algorithms: undefined, typ: undefined, clockToleranceSeconds: undefined }
    const claims = { owner: undefined, scopes: undefined, cacheMs: undefined }
    expect(() => jwtVerifier({ ...good, ...unset, ...claims, secret: undefined })).not.toThrow()
  })
})

describe('a public key that is not PEM after all', () => {
  it('makes the verifier throw instead of refusing tokens', async () => {
    const publicKey = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'
    await expect(jwtVerifier({ publicKey, ...checks })(await sign(ec))).rejects.toThrow(TypeError)
  })
})
