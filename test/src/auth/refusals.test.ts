import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { introspectionVerifier } from '../../../src/auth/introspection.ts'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import { type AuthVerifier, createPlantStore, type ResponseEvent } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { AUDIENCE, ISSUER, makeKey, now, type SigningKey, sign } from './issuer.ts'

let key: SigningKey
let other: SigningKey
beforeAll(async () => {
  ;[key, other] = await Promise.all([makeKey('ES256', 'k'), makeKey('ES256', 'k')])
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Sends a list with the token. Returns the reason that the app is told, and what the client gets. */
async function refusalOf(verify: AuthVerifier, token: string) {
  const events: ResponseEvent[] = []
  const store = createPlantStore(memoryStorage(), verify, {
    onError() {},
    onResponse: (event) => void events.push(event),
  })
  const headers = { authorization: `Bearer ${token}` }
  const response = await store.fetch(new Request('http://localhost/plants', { headers }))
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: await response.text(),
    reason: events[0]!.reason,
  }
}

const NO_MORE = {
  status: 401,
  challenge: 'Bearer realm="plants", error="invalid_token"',
  body: '{"error":40102,"message":"The token is not valid."}',
}
const good = () => ({ publicKey: key.jwk, issuer: ISSUER, audience: AUDIENCE })

describe('A JWT that is refused tells the app why, and the client no more than RFC 6750', () => {
  it.each<[string, object, () => Promise<string>, string | RegExp]>([
    [
      'issuer',
      { issuer: 'https://other.example' },
      () => sign(key),
      `issuer is "${ISSUER}", expected "https://other.example"`,
    ],
    [
      'audience',
      { audience: ['a', 'b'] },
      () => sign(key),
      `audience is "${AUDIENCE}", expected "a" or "b"`,
    ],
    [
      'no audience',
      {},
      () => sign(key, { aud: undefined as never }),
      `audience is missing, expected "${AUDIENCE}"`,
    ],
    [
      'algorithms',
      { publicKey: key?.pem, algorithms: ['ES256'] },
      () => sign({ alg: 'HS256', kid: 'k', privateKey: new Uint8Array(32) }),
      'algorithm is "HS256", expected "ES256"',
    ],
    [
      'owner',
      { owner: 'email' },
      () => sign(key),
      'the claim email must be a string that is not empty, for the owner; got undefined',
    ],
    [
      'expiry',
      {},
      () => sign(key, { exp: 1_700_000_000 }),
      'it expired at 2023-11-14T22:13:20.000Z',
    ],
    ['not before', {}, () => sign(key, { nbf: now() + 1000 }), /^it is not valid before 20/],
    ['signature', {}, () => sign(other), 'no key has made its signature'],
    ['typ', { typ: 'at+jwt' }, () => sign(key), 'typ is missing, expected "at+jwt"'],
    [
      'proof of possession',
      {},
      () => sign(key, { cnf: {} } as never),
      'it is sender-constrained (cnf), which is not supported',
    ],
    ['no JWT', {}, async () => 'opaque', 'it is not a signed JWT'],
  ])('%s', async (_, options, token, reason) => {
    const verify = jwtVerifier({
      ...good(),
      ...options,
      ...('publicKey' in options && { publicKey: key.pem }),
    } as never)
    const sent = await token()
    const refusal = await refusalOf(verify, sent)
    expect(refusal).toMatchObject(NO_MORE)
    expect(refusal.reason).toMatch(reason)
    expect(refusal.reason).not.toContain(sent)
  })

  it('an unknown kid, with a key set', async () => {
    const verify = jwtVerifier({ jwks: { keys: [key.jwk] }, issuer: ISSUER, audience: AUDIENCE })
    const token = await sign({ ...key, kid: 'withdrawn' })
    expect((await refusalOf(verify, token)).reason).toBe(
      'the key set has no key with its kid and alg',
    )
  })
})

describe('An opaque token that is refused tells the app why', () => {
  async function verifierOf(response: object, options = {}) {
    const server = createServer((_, reply) => {
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(response))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const endpoint = `http://localhost:${(server.address() as AddressInfo).port}`
    return introspectionVerifier({ endpoint, clientId: 'a', clientSecret: 'b', ...options })
  }

  it.each<[object, object, string]>([
    [{ active: false }, {}, 'the authorization server says that it is not active'],
    [
      { active: true },
      {},
      'the claim sub must be a string that is not empty, for the owner; got undefined',
    ],
    [{ active: true, sub: 'a', aud: 'x' }, { audience: 'y' }, 'audience is "x", expected "y"'],
    [{ active: true, sub: 'a', token_type: 'DPoP' }, {}, 'token_type is "DPoP", expected "Bearer"'],
    [{ active: true, sub: 'a', exp: 1 }, {}, 'it expired at 1970-01-01T00:00:01.000Z'],
  ])('%j with %j', async (response, options, reason) => {
    const refusal = await refusalOf(await verifierOf(response, options), 'opaque')
    expect(refusal).toEqual({ ...NO_MORE, reason })
  })
})

describe('The reason of a refusal', () => {
  it('may be given by a verifier of one’s own', async () => {
    const verify: AuthVerifier = (_token, context) => context.refuse('no such session')
    expect((await refusalOf(verify, 't')).reason).toBe('no such session')
    expect((await refusalOf(() => null, 't')).reason).toBeUndefined()
    expect((await refusalOf(staticTokens({ s3cret: 'alice' }), 't')).reason).toBe(
      'it is none of staticTokens',
    )
  })

  it('is logged by default, each one once a minute, and at most 100 of them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }).setSystemTime(10 * 60_000)
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    let count = 0
    const reasons = ['audience is "x"', 'audience is "x"', `line\nbreak ${'x'.repeat(1000)}`]
    const store = createPlantStore(memoryStorage(), (_token, context) =>
      context.refuse(reasons[count++] ?? `reason ${count}`),
    )
    const headers = { authorization: 'Bearer t' }
    const send = () => store.fetch(new Request('http://localhost/plants', { headers }))
    for (let i = 0; i < 3; i++) await send()
    const lines = print.mock.calls.map(([line]) => line)
    expect(lines).toEqual([
      'A token was refused with 401: audience is "x"',
      `A token was refused with 401: line break ${'x'.repeat(189)}`,
    ])
    for (let i = 0; i < 200; i++) await send()
    expect(print).toHaveBeenCalledTimes(100)
    vi.setSystemTime(11 * 60_000)
    count = 0
    await send()
    expect(print).toHaveBeenCalledTimes(101)
  })

  it('is left to an app with an onError of its own', async () => {
    const print = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await refusalOf((_token, context) => context.refuse('no'), 't')
    expect(print).not.toHaveBeenCalled()
  })
})
