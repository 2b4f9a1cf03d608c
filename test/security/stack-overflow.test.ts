import { describe, expect, it } from 'vitest'
import { createVerdictCache } from '../../src/auth/shared/verdict-cache.ts'
import { staticTokens } from '../../src/auth/tokens.ts'
import type { Caller } from '../../src/auth-verifier.ts'
import { bearerToken } from '../../src/http/bearer.ts'

const victim = 'victim'.repeat(20)
const verdicts = createVerdictCache(3_600_000)
verdicts.keep(victim, { caller: { owner: 'alice' }, expires: Number.POSITIVE_INFINITY })

const lookups: [name: string, find: (token: string) => Caller | null | undefined][] = [
  ['staticTokens', staticTokens({ [victim]: 'alice' })],
  ['a cache of verdicts', verdicts.find],
]

/** Fills the stack, then runs a function with room for so many calls. Returns whether the stack overflowed again. */
function withLittleStack(calls: number, run: () => void): boolean {
  let left = calls
  // Not false, since the assignment in the catch may overflow the stack too.
  let overflowed = true
  function dive(): void {
    try {
      dive()
    } catch {}
    if (left-- !== 0) return
    try {
      run()
      overflowed = false
    } catch (error) {
      overflowed = error instanceof RangeError
    }
  }
  dive()
  return overflowed
}

describe('after a stack overflow, a token gets the caller of no other token', () => {
  it.each(lookups)('from %s', (_, find) => {
    const authenticate = (presented: string) => {
      const token = bearerToken({ get: () => `Bearer ${presented}` })
      return token === undefined ? null : find(token)
    }
    let overflows = 0
    for (let i = 0; i < 3000; i++) {
      expect(authenticate(victim)).toEqual({ owner: 'alice' })
      const other = `${i}`.padStart(100, 'x')
      if (withLittleStack(i % 600, () => void authenticate(other))) overflows++
      expect(find(other) ?? null).toBeNull()
    }
    expect(overflows).toBeGreaterThan(0)
    expect(overflows).toBeLessThan(3000)
  })
})
