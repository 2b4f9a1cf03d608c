import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INT64_MAX, INT64_MIN, parseInt64 } from '../../../src/lib/int64.ts'

describe('parseInt64', () => {
  it('reads the canonical decimal of every int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (value) => {
        expect(parseInt64(String(value))).toBe(value)
      }),
    )
  })

  it('reads nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+]?0*\d{1,25}(\.0)?$/)), (text) => {
        const value = parseInt64(text)
        if (value !== undefined) expect(String(value)).toBe(text)
      }),
    )
  })

  it('knows the bounds', () => {
    expect(parseInt64(String(INT64_MAX + 1n))).toBeUndefined()
    expect(parseInt64(String(INT64_MIN - 1n))).toBeUndefined()
  })
})
