import type { JWTPayload } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type JwtVerifierOptions, jwtVerifier } from '../../../src/auth/jwt.ts'
import { makeKey, sign } from './issuer.ts'

const START = 1_800_000_000
const key = await makeKey('ES256', 'ec')

afterEach(() => void vi.useRealTimers())

/** Sets the clock to so many seconds after the start. */
const later = (seconds: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: (START + seconds) * 1000 })

const create = (options: Partial<JwtVerifierOptions>) =>
  jwtVerifier({
    ...{ jwks: { keys: [key.jwk] }, issuer: false, audience: false },
    ...options,
  } as JwtVerifierOptions)

describe('A cached caller', () => {
  const caller = { owner: 'alice', scopes: ['plants:read'] }
  const signed = (claims: JWTPayload = {}) =>
    sign(key, { iat: START, sub: 'alice', scope: 'plants:read', exp: START + 3600, ...claims })

  /** A verifier, and how often it has read the owner of a token, which it does when it checks the token. */
  function counting(options: Partial<JwtVerifierOptions> = {}) {
    const state = { checks: 0 }
    const owner = ({ sub }: Record<string, unknown>) => {
      state.checks++
      return sub as string
    }
    return Object.assign(state, { verify: create({ owner, ...options }) })
  }

  it('is kept for a while, and returned without a promise', async () => {
    later(0)
    const counter = counting()
    const token = await signed()
    expect(await counter.verify(token)).toEqual(caller)
    later(59.999)
    expect(counter.verify(token)).toEqual(caller)
    expect(counter.checks).toBe(1)
    later(60)
    expect(await counter.verify(token)).toEqual(caller)
    expect(counter.checks).toBe(2)
  })

  it('is kept for cacheMs, or not at all with 0', async () => {
    later(0)
    const token = await signed()
    const long = counting({ cacheMs: 3_600_000 })
    await long.verify(token)
    later(3599)
    expect(long.verify(token)).toEqual(caller)
    later(0)
    const never = counting({ cacheMs: 0 })
    for (let i = 0; i < 2; i++) await never.verify(token)
    expect(never.checks).toBe(2)
  })

  it('is never used beyond exp', async () => {
    later(0)
    const { verify } = counting({ cacheMs: 3_600_000 })
    const token = await signed({ exp: START + 3 })
    await verify(token)
    later(2.999)
    expect(verify(token)).toEqual(caller)
    later(3)
    expect(await verify(token)).toBeNull()
  })

  it('is not used before nbf when the clock is set back', async () => {
    later(100)
    const { verify } = counting({ cacheMs: 3_600_000 })
    const token = await signed({ nbf: START + 100 })
    expect(await verify(token)).toEqual(caller)
    later(99)
    expect(await verify(token)).toBeNull()
  })

  it('is used for its own token only, by its own verifier only', async () => {
    later(0)
    const { verify } = counting()
    const token = await signed()
    await verify(token)
    expect(await verify(await signed({ sub: 'bob' }))).toMatchObject({ owner: 'bob' })
    const other = create({ owner: () => 'carol' })
    expect(await other(token)).toMatchObject({ owner: 'carol' })
    expect(verify(token)).toEqual(caller)
  })

  it('is not kept when it is a refusal', async () => {
    later(0)
    const { verify } = counting()
    const token = await signed({ nbf: START + 10 })
    expect(await verify(token)).toBeNull()
    later(10)
    expect(await verify(token)).toEqual(caller)
  })
})
