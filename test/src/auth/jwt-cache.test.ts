import type { JWTPayload } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type JwtVerifierOptions, jwtVerifier } from '../../../src/auth/jwt.ts'
import { AUDIENCE, ISSUER, makeKey, sign, startKeyServer } from './issuer.ts'

const START = 1_800_000_000

const [rsa, ec, otherEc] = [
  await makeKey('RS256', 'rsa'),
  await makeKey('ES256', 'ec'),
  await makeKey('ES256', 'ec'),
]
const checks = { issuer: ISSUER, audience: AUDIENCE }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function keyServer(...keys: Parameters<typeof startKeyServer>[0]) {
  const server = await startKeyServer(keys)
  onTestFinished(server.close)
  return server
}

/** Sets the clock to so many seconds after the start. */
const later = (seconds: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: (START + seconds) * 1000 })

/** Signs a token that is good for an hour from the start. */
const signed = (key = ec, claims: JWTPayload = {}) =>
  sign(key, { iat: START, exp: START + 3600, ...claims })

/** A verifier that counts how often a token's signature was verified, which is when its owner is read. */
function countingVerifier(options: Partial<JwtVerifierOptions> = {}) {
  const state = { verified: 0 }
  const verify = jwtVerifier({
    jwks: { keys: [ec.jwk, rsa.jwk] },
    ...checks,
    owner: ({ sub }) => {
      state.verified++
      return sub as string
    },
    ...options,
  } as JwtVerifierOptions)
  return Object.assign(state, { verify })
}

describe('a verified token', () => {
  it('is accepted again at once, without a promise', async () => {
    later(0)
    const counter = countingVerifier()
    const token = await signed(ec, { scope: 'plants:read' })
    const caller = { owner: 'alice', scopes: ['plants:read'] }
    expect(await counter.verify(token)).toEqual(caller)
    for (let i = 0; i < 10; i++) expect(counter.verify(token)).toEqual(caller)
    expect(counter.verified).toBe(1)
  })

  it('is verified again after 60 seconds', async () => {
    later(0)
    const counter = countingVerifier()
    const token = await signed()
    await counter.verify(token)
    later(59.999)
    expect(counter.verify(token)).toEqual({ owner: 'alice' })
    later(60)
    await counter.verify(token)
    expect(counter.verified).toBe(2)
  })

  it('is verified again after cacheMs, or each time with 0', async () => {
    const token = await signed()
    later(0)
    const counter = countingVerifier({ cacheMs: 3_600_000 })
    await counter.verify(token)
    later(3599)
    await counter.verify(token)
    expect(counter.verified).toBe(1)

    later(0)
    const never = countingVerifier({ cacheMs: 0 })
    await never.verify(token)
    await never.verify(token)
    expect(never.verified).toBe(2)
  })

  it('is never accepted beyond exp', async () => {
    later(0)
    const counter = countingVerifier({ cacheMs: 3_600_000 })
    const token = await signed(ec, { exp: START + 3 })
    await counter.verify(token)
    later(2.999)
    expect(counter.verify(token)).toEqual({ owner: 'alice' })
    later(3)
    expect(await counter.verify(token)).toBeNull()
    expect(counter.verified).toBe(1)
  })

  it('is not accepted before nbf when the clock is set back', async () => {
    later(100)
    const counter = countingVerifier({ cacheMs: 3_600_000 })
    const token = await signed(ec, { nbf: START + 100 })
    expect(await counter.verify(token)).not.toBeNull()
    later(99)
    expect(await counter.verify(token)).toBeNull()
  })

  it('gives a frozen Caller', async () => {
    later(0)
    const { verify } = countingVerifier()
    const token = await signed(ec, { scope: 'plants:read' })
    const caller = (await verify(token)) as any
    expect(() => caller.scopes.push('plants:write')).toThrow(TypeError)
    expect(() => Object.assign(caller, { owner: 'mallory' })).toThrow(TypeError)
    expect(verify(token)).toEqual({ owner: 'alice', scopes: ['plants:read'] })
  })

  it('is cached by its own verifier only', async () => {
    later(0)
    const token = await signed()
    const { verify } = countingVerifier()
    await verify(token)
    expect(verify(token)).toEqual({ owner: 'alice' })
    for (const options of [
      { jwks: { keys: [otherEc.jwk] } },
      { audience: 'https://other.example' },
      { issuer: 'https://other.example' },
      { owner: () => null },
    ]) {
      expect(await countingVerifier(options).verify(token)).toBeNull()
    }
    const readOnly = countingVerifier({ scopes: () => ['plants:read'] })
    expect(await readOnly.verify(token)).toEqual({ owner: 'alice', scopes: ['plants:read'] })
    expect(verify(token)).toEqual({ owner: 'alice' })
  })

  it('is not cached when it is refused, so it is verified each time', async () => {
    later(0)
    const token = await signed(ec, { nbf: START + 10 })
    const counter = countingVerifier()
    expect(await counter.verify(token)).toBeNull()
    later(10)
    expect(await counter.verify(token)).not.toBeNull()
  })
})

describe('a key set with a URL', () => {
  it('is not fetched for a token that is not a JWT', async () => {
    const server = await keyServer(ec)
    const { verify } = countingVerifier({ jwks: server.url })
    for (const token of ['a', 'a.b.c', '..']) expect(await verify(token)).toBeNull()
    expect(server.requests).toBe(0)
  })

  it('that lost a key refuses its tokens once it is 10 minutes old and their verdicts are not cached any more', async () => {
    const server = await keyServer(ec)
    const { verify } = countingVerifier({ jwks: server.url, cacheMs: 60_000 })
    const [token, other] = [await signed(), await signed(ec, { sub: 'bob' })]
    later(0)
    await verify(token)
    server.jwks = { keys: [rsa.jwk] }
    later(599)
    expect(await verify(token)).toEqual({ owner: 'alice' })
    later(600)
    expect(await verify(other)).toBeNull()
    later(658)
    expect(await verify(token)).toEqual({ owner: 'alice' })
    later(659)
    expect(await verify(token)).toBeNull()
  })

  it('that lost a key refuses its tokens at once when it is fetched for an unknown key and nothing is cached', async () => {
    const server = await keyServer(ec)
    const { verify } = countingVerifier({ jwks: server.url, cacheMs: 0 })
    later(0)
    expect(await verify(await signed())).not.toBeNull()
    // The key is replaced under the same kid.
    server.jwks = { keys: [otherEc.jwk, rsa.jwk] }
    later(31)
    expect(await verify(await signed(rsa))).not.toBeNull()
    expect(await verify(await signed())).toBeNull()
    expect(await verify(await signed(otherEc))).not.toBeNull()
  })

  it('that is 10 minutes old and can’t be fetched accepts no token that is not cached', async () => {
    const server = await keyServer(ec)
    const { verify } = countingVerifier({ jwks: server.url, cacheMs: 0 })
    const token = await signed()
    later(0)
    await verify(token)
    server.answer = (response) => response.writeHead(500).end()
    later(600)
    await expect(verify(token)).rejects.toThrow()
    later(601)
    await expect(verify(token)).rejects.toThrow()
  })

  it('that is unchanged accepts cached tokens', async () => {
    const server = await keyServer(ec)
    const counter = countingVerifier({ jwks: server.url })
    const token = await signed()
    later(0)
    await counter.verify(token)
    later(31)
    expect(await counter.verify(await signed(rsa))).toBeNull()
    expect(server.requests).toBe(2)
    expect(counter.verify(token)).toEqual({ owner: 'alice' })
    expect(counter.verified).toBe(1)
  })
})
