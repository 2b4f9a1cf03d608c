import { createHash } from 'node:crypto'
import {
  base64url,
  CompactEncrypt,
  CompactSign,
  exportPKCS8,
  type JWTPayload,
  UnsecuredJWT,
} from 'jose'
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
const strict = storeFor({ jwks: keyServer.jwks, typ: 'at+jwt', ...checks })

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

/** Signs any header and any payload with HMAC. */
async function hmac(header: Record<string, unknown>, payload: unknown, material: Uint8Array) {
  const bits = String(header.alg).slice(2)
  const algorithm = { name: 'HMAC', hash: `SHA-${bits}` }
  // WebCrypto takes no empty key; HMAC pads keys with zeros, so one zero is the same.
  const bytes = new Uint8Array(material.length === 0 ? [0] : material)
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const input = `${encode(header)}.${encode(payload)}`
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
for (const alg of ['none', 'None', 'NONE', 'nOnE', 'none ', ' none', 'none\0', '', 'null']) {
  for (const signature of ['', 'AA', goodSignature]) {
    refusedByAll.push([
      `alg ${JSON.stringify(alg)}, signature ${signature}`,
      forge({ alg }, goodClaims(), signature),
    ])
  }
}
for (const alg of [null, 7, true, [], ['none'], ['ES256'], {}, undefined, ['ES256', 'none']]) {
  refusedByAll.push([`alg ${JSON.stringify(alg)}`, forge({ alg }, goodClaims(), goodSignature)])
}
for (const alg of [
  'es256',
  'Es256',
  'RS256 ',
  'HS1',
  'HS257',
  'RS1',
  'ES256K',
  'MD5',
  'dir',
  'A128KW',
  'toString',
  '__proto__',
  'constructor',
]) {
  refusedByAll.push([`alg ${alg}`, forge({ alg }, goodClaims(), goodSignature)])
}
refusedByAll.push(
  ['unsecured', new UnsecuredJWT(goodClaims()).encode()],
  ['the last of two algs is none', forge('{"alg":"ES256","alg":"none"}', goodClaims())],
  ['the last of two algs is HS256', forge('{"alg":"ES256","alg":"HS256"}', goodClaims(), 'AA')],
)

// HMAC with what everybody knows.
const knownToAll: Record<string, Uint8Array> = {
  'no bytes': new Uint8Array(),
  zeros: new Uint8Array(64),
  'the kid': utf8('ec-1'),
  'the issuer': utf8(ISSUER),
  'the key set': utf8(JSON.stringify(keyServer.jwks)),
  'the word secret': utf8('secret'),
}
for (const { alg, pem, jwk } of keys) {
  knownToAll[`the PEM of ${alg}`] = utf8(pem)
  knownToAll[`the PEM of ${alg} and a line feed`] = utf8(`${pem}\n`)
  knownToAll[`the PEM of ${alg} with CRLF`] = utf8(pem.replaceAll('\n', '\r\n'))
  knownToAll[`the DER of ${alg}`] = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  knownToAll[`the JWK of ${alg}`] = utf8(JSON.stringify(jwk))
  knownToAll[`x or n of ${alg}`] = base64url.decode((jwk.n ?? jwk.x)!)
  knownToAll[`x or n of ${alg} as text`] = utf8((jwk.n ?? jwk.x)!)
}
for (const [name, material] of Object.entries(knownToAll)) {
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    const token = await hmac({ alg, kid: 'rsa-1' }, goodClaims(), material)
    refusedByAll.push([`${alg} with ${name}`, token])
  }
}

// A key that the token brings, points to, or asks for by a strange name. The trap has this very key.
const thumbprint = createHash('sha256').update('x').digest('base64url')
for (const [alg, key] of Object.entries(stranger)) {
  const headers: Record<string, Record<string, unknown>> = {
    'nothing else': {},
    jwk: { jwk: key.jwk },
    'jwk without kid': { jwk: key.jwk, kid: undefined },
    'jwk with the private key': { jwk: { ...key.jwk, d: 'AAAA' } },
    jku: { jku: trap.url },
    'jku of the issuer and elsewhere': { jku: `${ISSUER}@${trap.url}` },
    x5u: { x5u: trap.url },
    x5c: { x5c: [key.pem.replace(/-----[^-]+-----|\s/g, '')] },
    x5t: { x5t: thumbprint, 'x5t#S256': thumbprint },
    'iss in the header': { iss: ISSUER, aud: AUDIENCE },
    typ: { typ: 'at+jwt' },
    ...Object.fromEntries(
      [
        ...['../../../../dev/null', '/dev/null', 'C:\\nul', 'file:///dev/null', trap.url],
        ...["' OR '1'='1", "' UNION SELECT 'AA'--", '"; DROP TABLE keys', '| id', '$(id)', '%00'],
        ...[
          '__proto__',
          'constructor',
          'toString',
          '0',
          '',
          ' ',
          '\0',
          '*',
          '.*',
          'rsa-1\0',
          'RSA-1',
        ],
        ...['k'.repeat(5000)],
        ...[null, 0, 7, true, [], ['rsa-1'], {}, { kid: 'rsa-1' }],
      ].map((kid) => [`kid ${JSON.stringify(kid).slice(0, 30)}`, { kid }]),
    ),
  }
  for (const [name, header] of Object.entries(headers)) {
    const input = `${encode({ alg, kid: key.kid, ...header })}.${encode(goodClaims())}`
    const signature = await signBytes(key, utf8(input))
    refusedByAll.push([`a stranger's ${alg} key, ${name}`, `${input}.${signature}`])
  }
  const token = await sign({ ...key, kid: keys.find((other) => other.alg !== alg)!.kid })
  refusedByAll.push([`a stranger's ${alg} key, the kid of another kind of key`, token])
}

async function signBytes({ privateKey }: SigningKey, bytes: Uint8Array<ArrayBuffer>) {
  const algorithm = { ...privateKey.algorithm, hash: 'SHA-256' }
  const signature = await crypto.subtle.sign(algorithm, privateKey, bytes)
  return base64url.encode(new Uint8Array(signature))
}

// A good token, tampered with.
const flipped = base64url.decode(goodSignature)
flipped[0]! ^= 1
const otherPayload = encode({ ...goodClaims(), sub: 'bob' })
const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
refusedByAll.push(
  ['another payload', `${goodHeader}.${otherPayload}.${goodSignature}`],
  ['another header', `${encode({ alg: 'ES256' })}.${goodPayload}.${goodSignature}`],
  [
    'the signature of another token',
    `${goodHeader}.${goodPayload}.${(await sign(ec, { sub: 'bob' })).split('.')[2]}`,
  ],
  ['a bit of the signature flipped', `${goodHeader}.${goodPayload}.${base64url.encode(flipped)}`],
  ['no signature', `${goodHeader}.${goodPayload}.`],
  ['no signature and no dot', `${goodHeader}.${goodPayload}`],
  ['a shorter signature', `${goodHeader}.${goodPayload}.${goodSignature.slice(0, -4)}`],
  ['a longer signature', `${good}AAAA`],
  ['the signature twice', `${good}${goodSignature}`],
  [
    'a signature of zeros (CVE-2022-21449)',
    `${goodHeader}.${goodPayload}.${base64url.encode(new Uint8Array(64))}`,
  ],
  [
    'a signature of the order',
    `${goodHeader}.${goodPayload}.${base64url.encode(Buffer.from(order + order, 'hex'))}`,
  ],
  [
    'a signature of 0xff',
    `${goodHeader}.${goodPayload}.${base64url.encode(new Uint8Array(64).fill(255))}`,
  ],
  [
    'a signature in DER',
    `${goodHeader}.${goodPayload}.${base64url.encode(Buffer.from('3006020100020100', 'hex'))}`,
  ],
  [
    'Ed25519 and a signature of zeros',
    forge({ alg: 'EdDSA', kid: 'ed-1' }, goodClaims(), new Uint8Array(64)),
  ],
  [
    'RSA and a signature of zeros',
    forge({ alg: 'RS256', kid: 'rsa-1' }, goodClaims(), new Uint8Array(256)),
  ],
  [
    'RSA and a signature of one',
    forge({ alg: 'RS256', kid: 'rsa-1' }, goodClaims(), new Uint8Array(256).fill(1, 255)),
  ],
  ...['PS256', 'RS384', 'RS512', 'PS512', 'ES256', 'HS256', 'EdDSA'].map(
    (alg): [string, string] => {
      return [
        `an RS256 signature said to be ${alg}`,
        forge({ alg, kid: 'rsa-1' }, goodClaims(), 'AAAA'),
      ]
    },
  ),
  ...['ES384', 'ES512', 'ES256K', 'RS256'].map((alg): [string, string] => {
    return [
      `an ES256 signature said to be ${alg}`,
      forge({ alg, kid: 'ec-1' }, goodClaims(), goodSignature),
    ]
  }),
)

// Not JWTs at all.
const encrypted = await new CompactEncrypt(utf8(JSON.stringify(goodClaims())))
  .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
  .encrypt(secret)
refusedByAll.push(
  ['one part', 'a'],
  ['two dots', '..'],
  ['three dots', '...'],
  ['four parts', `${good}.${goodSignature}`],
  ['no header', `.${goodPayload}.${goodSignature}`],
  ['no payload', `${goodHeader}..${goodSignature}`],
  ['a detached payload', `${goodHeader}..${goodSignature}`],
  ['encrypted (JWE)', encrypted],
  ['encrypted, first three parts', encrypted.split('.').slice(0, 3).join('.')],
  ['the header no JSON', forge('alg=ES256', goodClaims(), goodSignature)],
  ['the header a list', forge([{ alg: 'none' }], goodClaims(), goodSignature)],
  ['the header null', forge('null', goodClaims(), goodSignature)],
  ['the header nested 2000 deep', forge(`${'['.repeat(2000)}${']'.repeat(2000)}`, goodClaims())],
  ['the header not UTF-8', `${base64url.encode(new Uint8Array([0x7b, 0xff, 0x7d]))}.e30.AA`],
  [
    'the private key',
    (await exportPKCS8(stranger.ES256.privateKey)).replace(/-----[^-]+-----|\s/g, ''),
  ],
  ['20 kB', 'x'.repeat(20_000)],
  ['20 000 dots', '.'.repeat(20_000)],
  ['a header of 20 kB', forge({ alg: 'none', x: 'x'.repeat(20_000) }, goodClaims())],
  [
    '1 MB',
    forge({ alg: 'ES256', kid: 'ec-1' }, { ...goodClaims(), x: 'x'.repeat(1e6) }, goodSignature),
  ],
)

// From the issuer itself, but not for us, not now, or not what it should be.
const claimed = async (name: string, claims: Record<string, unknown>, answer = INVALID) =>
  byTheIssuer.push([name, await sign(ec, claims as JWTPayload), answer])
const headed = async (name: string, header: Record<string, unknown>, answer = INVALID) =>
  byTheIssuer.push([name, await signText(ec, JSON.stringify(goodClaims()), header), answer])
const written = async (name: string, payload: string | Uint8Array, answer = INVALID) =>
  byTheIssuer.push([name, await signText(ec, payload), answer])

await claimed('as it should be', {}, 200)
for (const seconds of [1, 2, 60, 86_400, now()]) {
  await claimed(`expired ${seconds} s ago`, { exp: now() - seconds })
}
for (const exp of [
  ...['', '9999999999', `${now() + 600}`, 'never', null, true, [], [now() + 600], {}],
  ...[0, -1, -1e300, 0.5, now() - 0.5, undefined],
]) {
  await claimed(`exp ${JSON.stringify(exp)}`, { exp })
}
const text = (more: string) => JSON.stringify(goodClaims()).replace(/}$/, `,${more}}`)
await written('exp 1e999', text('"exp":1e999'))
await written('exp -1e999', text('"exp":-1e999'))
await written('exp NaN', text('"exp":NaN'))
await claimed('exp in a fraction of a second', { exp: now() + 600.5 }, 200)
await claimed('exp in a million years', { exp: 1e14 }, 200)
for (const nbf of [now() + 60, now() + 1e9, 1e300, `${now()}`, null, true, {}, [now()]]) {
  await claimed(`nbf ${JSON.stringify(nbf)}`, { nbf })
}
await written('nbf 1e999', text('"nbf":1e999'))
await claimed('nbf in the past', { nbf: now() - 60 }, 200)
for (const iat of ['yesterday', null, {}]) await claimed(`iat ${JSON.stringify(iat)}`, { iat })
for (const iss of [
  ...[
    undefined,
    null,
    '',
    7,
    {},
    [ISSUER],
    [ISSUER, 'x'],
    'https://evil.example/',
    ISSUER.slice(0, -1),
  ],
  ...[
    `${ISSUER}evil`,
    `${ISSUER}.evil.example`,
    `${ISSUER}@evil.example`,
    `${ISSUER} `,
    ` ${ISSUER}`,
  ],
  ...[
    ISSUER.toUpperCase(),
    ISSUER.replace('https', 'http'),
    ISSUER.replace('e', 'е'),
    `${ISSUER}\0`,
  ],
  ...[ISSUER.replace('example/', 'example:443/'), ISSUER.replace('//', '//x@'), `${ISSUER}#`, '*'],
]) {
  await claimed(`iss ${JSON.stringify(iss)}`, { iss })
}
for (const aud of [
  ...[
    undefined,
    null,
    '',
    7,
    {},
    true,
    [],
    [''],
    [null],
    'https://other.example',
    ['https://other.example'],
  ],
  ...[
    `${AUDIENCE}/`,
    `${AUDIENCE}.evil.example`,
    AUDIENCE.slice(0, -1),
    AUDIENCE.toUpperCase(),
    '*',
    ['*'],
  ],
  ...[
    [[AUDIENCE]],
    [{ aud: AUDIENCE }],
    { 0: AUDIENCE, length: 1 },
    `x ${AUDIENCE}`,
    `${AUDIENCE},x`,
  ],
]) {
  await claimed(`aud ${JSON.stringify(aud)}`, { aud })
}
await claimed('aud a list with ours', { aud: ['https://other.example', AUDIENCE] }, 200)
for (const sub of [undefined, null, '', 0, 7, true, {}, [], ['alice'], { toString: 'alice' }]) {
  await claimed(`sub ${JSON.stringify(sub)}`, { sub })
}
await claimed('bound to a key (DPoP)', { cnf: { jkt: thumbprint } })
await claimed('bound to a certificate (mTLS)', { cnf: { 'x5t#S256': thumbprint } })
await claimed('bound to null', { cnf: null })

await written(
  'claims named twice, the last one good',
  `{"sub":"bob","exp":1,${text('"a":1').slice(1)}`,
  200,
)
await written('claims named twice, the last one expired', text('"exp":1'))
await written('claims named twice, the last one elsewhere', text('"aud":"https://other.example"'))
await written(
  'sub in the prototype',
  text('"__proto__":{"sub":"bob"}').replace('"sub":"alice",', ''),
)
await written('all in the prototype', `{"__proto__":${JSON.stringify(goodClaims())}}`)
await written('a list', `[${JSON.stringify(goodClaims())}]`)
await written('a string', JSON.stringify(JSON.stringify(goodClaims())))
for (const payload of ['', 'null', 'true', '7', '{}', '{', '{"exp":', 'alice', '\u0000']) {
  await written(`the payload ${JSON.stringify(payload)}`, payload)
}
await written('not UTF-8', Buffer.from(JSON.stringify({ ...goodClaims(), sub: 'é' }), 'latin1'))
await written('UTF-16', Buffer.from(JSON.stringify(goodClaims()), 'utf16le'))
await written('nested 3000 deep', text(`"x":${'['.repeat(3000)}${']'.repeat(3000)}`), 200)
await written('17 kB of claims', text(`"x":"${'x'.repeat(17_000)}"`))
byTheIssuer.push(['nested (JWT in JWT)', await signText(ec, good, { cty: 'JWT' }), INVALID])

await headed('crit with an unknown name', { crit: ['x-must'], 'x-must': true })
await headed('crit with a claim', { crit: ['exp'], exp: now() + 600 })
for (const crit of [
  'exp',
  [],
  [''],
  [7],
  ['b64'],
  ['alg'],
  null,
  true,
  {},
  ['__proto__'],
  ['toString'],
]) {
  const header = encode({ alg: 'ES256', kid: 'ec-1', crit })
  const signature = await signBytes(ec, utf8(`${header}.${goodPayload}`))
  byTheIssuer.push([
    `crit ${JSON.stringify(crit)}`,
    `${header}.${goodPayload}.${signature}`,
    INVALID,
  ])
}
{
  const header = encode({ alg: 'ES256', kid: 'ec-1', b64: false, crit: ['b64'] })
  const signature = await signBytes(ec, utf8(`${header}.e30`))
  byTheIssuer.push(['b64 false (RFC 7797)', `${header}.e30.${signature}`, INVALID])
}
await headed('jku, which is ignored', { jku: trap.url }, 200)
await headed('x5u, which is ignored', { x5u: trap.url }, 200)
await headed('jwk of a stranger, which is ignored', { jwk: stranger.ES256.jwk }, 200)
await headed('x5c of a stranger, which is ignored', { x5c: ['AAAA'] }, 200)
for (const kid of ['rsa-1', 'ed-1', 'EC-1', 'ec-1 ', 'none']) await headed(`kid ${kid}`, { kid })

// Not token68, so it isn't even looked at.
byTheIssuer.push(
  ['a space inside', good.replace('.', '. '), MISSING],
  ['percent-encoded dots', good.replaceAll('.', '%2E'), MISSING],
  ['padding in the parts', good.replaceAll('.', '=.'), MISSING],
  ['quoted', `"${good}"`, MISSING],
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

  it.each(['JWT', 'dpop+jwt', 'logout+jwt', 'id+jwt', 'at+jwt+x', 'at', '', null, ['at+jwt'], 7])(
    'of the typ %j, where at+jwt is asked for',
    async (typ) => {
      expect(await answerTo(strict, await sign(ec, {}, { typ }))).toBe(INVALID)
    },
  )
})

describe('the owner of one issuer', () => {
  it('is no owner at another, whatever the sub', async () => {
    const other = await makeKey('ES256', 'ec-1')
    const storage = memoryStorage()
    const one = createPlantStore(storage, jwtVerifier({ jwks: { keys: [ec.jwk] }, ...checks }))
    const two = createPlantStore(
      storage,
      jwtVerifier({ jwks: { keys: [other.jwk] }, issuer: 'https://b.example', audience: AUDIENCE }),
    )
    const theirs = await sign(other, { iss: 'https://b.example' })
    expect(await answerTo(one, theirs)).toBe(INVALID)
    expect(await answerTo(two, good)).toBe(INVALID)
    expect(await answerTo(two, theirs)).toBe(200)
    // The key of one and the name of the other.
    expect(await answerTo(one, await sign(other))).toBe(INVALID)
    expect(await answerTo(two, await sign(other))).toBe(INVALID)
  })
})

describe('all of these tokens', () => {
  it('make the verifier fetch nothing that they point to', () => {
    expect(trap.requests).toBe(0)
  })

  it('leave no trace in prototypes', () => {
    expect(({} as Record<string, unknown>).sub).toBeUndefined()
  })

  it('are not printed, nor any part of them', async () => {
    const output = await outputOf(async () => {
      for (const [, token] of [...refusedByAll, ...byTheIssuer]) {
        await answerTo(stores['a key set'], token)
      }
    })
    expect(output).toBe('')
  })
})
