import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyBuffer } from '../../../src/adapter.ts'

describe('createBodyBuffer', () => {
  it('holds the chunks up to its maximum size, and nothing of the one that exceeds it', () => {
    const sizes = fc.array(fc.oneof(fc.nat(9), fc.nat(40_000)))
    fc.assert(
      fc.property(sizes, fc.nat(200_000), (all, maxBytes) => {
        const buffer = createBodyBuffer(maxBytes)
        const added = all.map((size, i) => Buffer.alloc(size, i + 1)).filter(buffer.add)
        expect(Buffer.concat(added).equals(buffer.toBytes())).toBe(true)
        expect(buffer.toBytes().byteLength).toBeLessThanOrEqual(maxBytes)
      }),
    )
  })
})
