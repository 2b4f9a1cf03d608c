import type { JWTPayload } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Caller, type JwtVerifierOptions, jwtVerifier } from '../../../src/auth/jwt.ts'
import { createCallerCache } from '../../../src/auth/shared/cached-verifier.ts'
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

  it.each([
    [undefined, 60],
    [600_000, 600],
  ])('with a cacheMs of %j is kept for %i s, and returned as a value', async (cacheMs, seconds) => {
    later(0)
    const counter = counting({ cacheMs })
    const token = await signed()
    expect(await counter.verify(token)).toEqual(caller)
    later(seconds - 0.001)
    const cached = counter.verify(token)
    expect(cached).toEqual(caller)
    for (const part of [cached, (cached as Caller).scopes]) expect(part).toSatisfy(Object.isFrozen)
    expect(counter.checks).toBe(1)
    later(seconds)
    expect(await counter.verify(token)).toEqual(caller)
    expect(counter.checks).toBe(2)
  })

  it('is not kept with a cacheMs of 0', async () => {
    later(0)
    const counter = counting({ cacheMs: 0 })
    const token = await signed()
    for (let i = 0; i < 2; i++) await counter.verify(token)
    expect(counter.checks).toBe(2)
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

  it('is not kept when it is a refusal', async () => {
    later(0)
    const { verify } = counting()
    const token = await signed({ nbf: START + 10 })
    expect(await verify(token)).toBeNull()
    later(10)
    expect(await verify(token)).toEqual(caller)
  })
})

describe('createCallerCache', () => {
  const expires = (START + 90) * 1000

  it('keeps the newest 10 000 callers', () => {
    later(0)
    const callers = createCallerCache(60_000)
    for (let i = 0; i < 25_000; i++) callers.keep(`token${i}`, { owner: `owner${i}` }, expires)
    for (let i = 0; i < 25_000; i++) {
      const expected = i < 15_000 ? undefined : { owner: `owner${i}` }
      expect(callers.find(`token${i}`)).toEqual(expected)
    }
  })

  it('counts a caller that is kept again among the newest, and drops no other for it', () => {
    later(0)
    const callers = createCallerCache(60_000)
    const keep = (i: number) => callers.keep(`token${i}`, { owner: 'alice' }, expires)
    for (let i = 0; i < 10_000; i++) keep(i)
    keep(5000)
    expect(callers.has('token0')).toBe(true)
    for (let i = 10_000; i <= 15_000; i++) keep(i)
    expect([5000, 5001].map((i) => callers.has(`token${i}`))).toEqual([true, false])
  })

  it('keeps no caller whose token has more than 4096 characters', () => {
    later(0)
    const callers = createCallerCache(60_000)
    for (const length of [4096, 4097]) callers.keep('x'.repeat(length), { owner: 'alice' }, expires)
    expect(callers.find('x'.repeat(4096))).toEqual({ owner: 'alice' })
    expect(callers.find('x'.repeat(4097))).toBeUndefined()
  })
})
