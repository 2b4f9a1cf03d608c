import { text } from 'node:stream/consumers'
import { base64url, type JWTPayload } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { introspectionVerifier } from '../../../src/auth/introspection.ts'
import { jwtVerifier } from '../../../src/auth/jwt.ts'
import type { ClaimOptions } from '../../../src/auth/shared/claims.ts'
import { listening } from '../../shared/listening.ts'
import { makeKey, sign } from './issuer.ts'

const START = 1_800_000_000
const key = await makeKey('ES256', 'ec')

afterEach(() => void vi.useRealTimers())

/** Sets the clock to so many seconds after the start. */
const later = (seconds: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: (START + seconds) * 1000 })

type Options = ClaimOptions & { cacheMs?: number }

/** The verifiers that keep their callers, each with a token of some claims, and its default `cacheMs` in seconds. */
const verifiers = {
  jwtVerifier: {
    keptFor: 60,
    tokenOf: (claims: JWTPayload) => sign(key, { iat: START, ...claims }),
    create: async (options: Options) =>
      jwtVerifier({ jwks: { keys: [key.jwk] }, issuer: false, audience: false, ...options }),
  },
  introspectionVerifier: {
    keptFor: 10,
    // The authorization server answers with what the token consists of.
    tokenOf: async (claims: JWTPayload) => base64url.encode(JSON.stringify(claims)),
    async create(options: Options) {
      const { url } = await listening(async (request, response) => {
        const claims = new URLSearchParams(await text(request)).get('token')!
        const answer = { active: true, ...JSON.parse(`${Buffer.from(claims, 'base64url')}`) }
        response.end(JSON.stringify(answer))
      })
      return introspectionVerifier({ endpoint: url, clientId: 'a', clientSecret: 'b', ...options })
    },
  },
}

describe.each(Object.entries(verifiers))('a cached of %s', (_, { keptFor, tokenOf, create }) => {
  const caller = { owner: 'alice', scopes: ['plants:read'] }
  const signed = (claims: JWTPayload = {}) =>
    tokenOf({ sub: 'alice', scope: 'plants:read', exp: START + 3600, ...claims })

  /** A verifier, and how often it has read the owner of a token, which it does when it checks the token. */
  async function counting(options: Options = {}) {
    const state = { checks: 0 }
    const owner = ({ sub }: Record<string, unknown>) => {
      state.checks++
      return sub as string
    }
    return Object.assign(state, { verify: await create({ owner, ...options }) })
  }

  it('is kept for a while, and returned without a promise', async () => {
    later(0)
    const counter = await counting()
    const token = await signed()
    expect(await counter.verify(token)).toEqual(caller)
    later(keptFor - 0.001)
    expect(counter.verify(token)).toEqual(caller)
    expect(counter.checks).toBe(1)
    later(keptFor)
    expect(await counter.verify(token)).toEqual(caller)
    expect(counter.checks).toBe(2)
  })

  it('is kept for cacheMs, or not at all with 0', async () => {
    later(0)
    const token = await signed()
    const long = await counting({ cacheMs: 3_600_000 })
    await long.verify(token)
    later(3599)
    expect(long.verify(token)).toEqual(caller)
    later(0)
    const never = await counting({ cacheMs: 0 })
    for (let i = 0; i < 2; i++) await never.verify(token)
    expect(never.checks).toBe(2)
  })

  it('is never used beyond exp', async () => {
    later(0)
    const { verify } = await counting({ cacheMs: 3_600_000 })
    const token = await signed({ exp: START + 3 })
    await verify(token)
    later(2.999)
    expect(verify(token)).toEqual(caller)
    later(3)
    expect(await verify(token)).toBeNull()
  })

  it('is not used before nbf when the clock is set back', async () => {
    later(100)
    const { verify } = await counting({ cacheMs: 3_600_000 })
    const token = await signed({ nbf: START + 100 })
    expect(await verify(token)).toEqual(caller)
    later(99)
    expect(await verify(token)).toBeNull()
  })

  it('is a frozen Caller', async () => {
    later(0)
    const { verify } = await counting()
    const token = await signed()
    const found = (await verify(token)) as any
    expect(() => found.scopes.push('plants:write')).toThrow(TypeError)
    expect(() => Object.assign(found, { owner: 'mallory' })).toThrow(TypeError)
    expect(verify(token)).toEqual(caller)
  })

  it('is used for its own token only, by its own verifier only', async () => {
    later(0)
    const { verify } = await counting()
    const token = await signed()
    await verify(token)
    expect(await verify(await signed({ sub: 'bob' }))).toMatchObject({ owner: 'bob' })
    const other = await create({ owner: () => 'carol' })
    expect(await other(token)).toMatchObject({ owner: 'carol' })
    expect(verify(token)).toEqual(caller)
  })

  it('is not kept when it is a refusal', async () => {
    later(0)
    const { verify } = await counting()
    const token = await signed({ nbf: START + 10 })
    expect(await verify(token)).toBeNull()
    later(10)
    expect(await verify(token)).toEqual(caller)
  })
})
