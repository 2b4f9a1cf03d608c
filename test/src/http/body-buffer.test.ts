import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyBuffer } from '../../../src/http/body-buffer.ts'

describe('createBodyBuffer', () => {
  it('holds the chunks up to its maximum size, and nothing of the one that exceeds it', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 9 }))
    fc.assert(
      fc.property(chunks, fc.nat(40), (all, maxBytes) => {
        const buffer = createBodyBuffer(maxBytes)
        const added = all.filter((chunk) => buffer.add(chunk))
        expect(Buffer.from(buffer.toBytes())).toEqual(Buffer.concat(added))
        expect(buffer.toBytes().byteLength).toBeLessThanOrEqual(maxBytes)
      }),
    )
  })

  it('takes no more than twice the memory of what it holds', () => {
    const buffer = createBodyBuffer(10_000_000)
    for (let i = 0; i < 100_000; i++) buffer.add(new Uint8Array(65_536).subarray(0, 1))
    expect(buffer.toBytes().buffer.byteLength).toBeLessThanOrEqual(200_000)
  })
})
