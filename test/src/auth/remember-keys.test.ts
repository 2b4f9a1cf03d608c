import type { FlattenedJWSInput } from 'jose'
import { describe, expect, it } from 'vitest'
import { rememberKeys } from '../../../src/auth/jwt/remember-keys.ts'

const token: FlattenedJWSInput = { payload: '', signature: '' }
const header = { alg: 'RS256', kid: 'k' }

/** Finds a new key each time, once `release` is called. */
function setUp() {
  const state = { keySet: {}, release: () => {} }
  let found = 0
  const find = rememberKeys(
    async () => {
      await new Promise<void>((resolve) => {
        state.release = resolve
      })
      found++
      return new Uint8Array([found])
    },
    () => state.keySet,
  )
  async function lookUp(wanted: { alg: string; kid?: string }) {
    const key = find(wanted, token)
    state.release()
    return Number(await (key as Promise<Uint8Array>))
  }
  return { state, find, lookUp }
}

describe('rememberKeys', () => {
  it('finds a key again by its alg and kid, without a promise', async () => {
    const { find, lookUp } = setUp()
    expect(await lookUp(header)).toBe(1)
    expect(find(header, token)).toEqual(new Uint8Array([1]))
    expect(await lookUp({ alg: 'RS256', kid: 'other' })).toBe(2)
    expect(await lookUp({ alg: 'PS256', kid: 'k' })).toBe(3)
    expect(await lookUp(header)).toBe(1)
  })

  it('looks for the key of a token without a kid each time', async () => {
    const { lookUp } = setUp()
    expect(await lookUp({ alg: 'RS256' })).toBe(1)
    expect(await lookUp({ alg: 'RS256' })).toBe(2)
    expect(await lookUp({ alg: 'RS256', kid: 'undefined' })).toBe(3)
  })

  it('forgets the keys of another key set', async () => {
    const { state, lookUp } = setUp()
    expect(await lookUp(header)).toBe(1)
    state.keySet = {}
    expect(await lookUp(header)).toBe(2)
    expect(await lookUp(header)).toBe(2)
  })

  it('forgets a key that it was looking for while the key set changed', async () => {
    const { state, find, lookUp } = setUp()
    const withdrawn = find(header, token)
    const { release } = state
    state.keySet = {}
    expect(await lookUp({ alg: 'RS256', kid: 'other' })).toBe(1)
    release()
    await withdrawn
    expect(await lookUp(header)).toBe(3)
  })
})
