import { describe, expect, it } from 'vitest'
import { createVerdictCache } from '../../../src/auth/shared/verdict-cache.ts'
import { hashToken } from '../../../src/http/token-hash.ts'

const START = 1_800_000_000_000
const hash = (token: string) => hashToken(token)!
const verdictOn = (token: string) => ({ caller: { owner: token }, expires: START + 3_600_000 })

describe('createVerdictCache', () => {
  it('keeps 10 000 verdicts at most, the newest, of a million', () => {
    const verdicts = createVerdictCache(60_000)
    const keep = (token: string) => verdicts.keep(hash(token), verdictOn(token), START)
    for (let i = 0; i < 1_000_000; i++) keep(`token${i}`)

    const found = (i: number) => verdicts.find(hash(`token${i}`), START) !== undefined
    expect(Array.from({ length: 1_000_000 }, (_, i) => i).filter(found).length).toBeLessThanOrEqual(
      10_000,
    )
    expect(found(999_999)).toBe(true)
    expect(found(990_010)).toBe(true)
    expect(found(989_990)).toBe(false)
  })

  it('returns the verdict on the token itself, among thousands', () => {
    const verdicts = createVerdictCache(60_000)
    const tokens = Array.from({ length: 10_000 }, (_, i) => `token${i}`)
    for (const token of tokens) verdicts.keep(hash(token), verdictOn(token), START)
    expect(tokens.filter((token) => verdicts.find(hash(token), START)?.owner !== token)).toEqual([])
  })

  it('keeps the newer of two verdicts on a token', () => {
    const verdicts = createVerdictCache(60_000)
    verdicts.keep(hash('token'), verdictOn('alice'), START)
    verdicts.keep(hash('token'), verdictOn('bob'), START)
    expect(verdicts.find(hash('token'), START)).toEqual({ owner: 'bob' })
  })

  it('keeps as many after it is cleared', () => {
    const verdicts = createVerdictCache(60_000)
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 12_000; i++)
        verdicts.keep(hash(`${round}-${i}`), verdictOn('alice'), START)
      const kept = Array.from({ length: 12_000 }, (_, i) => i).filter((i) =>
        verdicts.find(hash(`${round}-${i}`), START),
      )
      expect(kept.length).toBeLessThanOrEqual(10_000)
      expect(kept.length).toBeGreaterThan(9990)
      verdicts.clear()
      expect(verdicts.find(hash(`${round}-11999`), START)).toBeUndefined()
    }
  })

  it('returns no verdict when the clock is set back to before it was kept', () => {
    const verdicts = createVerdictCache(60_000)
    expect(verdicts.find(hash('token'), START)).toBeUndefined()
    verdicts.keep(hash('token'), verdictOn('alice'), START + 10_000)
    expect(verdicts.find(hash('token'), START + 9999)).toBeUndefined()
    expect(verdicts.find(hash('token'), START + 10_000)).toBeUndefined()
  })
})
