import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyBuffer } from '../../../src/http/body-buffer.ts'

describe('createBodyBuffer', () => {
  it('holds the chunks up to its maximum size, and nothing of the one that exceeds it', () => {
    // Chunks of every size are joined in their own way: none, small ones, and larger ones than a block.
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

  it.each([
    ['one byte', [1], 2.5],
    ['one byte and 16 KiB by turns', [1, 16_384], 4],
    ['one byte and 32 KiB by turns', [1, 32_768], 4.5],
  ])('keeps few of the read buffers of 64 KiB that chunks of %s are in', (_, sizes, factor) => {
    const before = bufferBytes()
    const buffer = createBodyBuffer(10_000_000)
    let length = 0
    for (let i = 0; length < 4_000_000 && i < 100_000; i++) {
      const size = sizes[i % sizes.length]!
      buffer.add(new Uint8Array(65_536).subarray(0, size))
      length += size
    }
    // Beside the body, one read buffer.
    expect(bufferBytes() - before).toBeLessThan(length * factor + 65_536)
    expect(buffer.toBytes().byteLength).toBe(length)
  })
})

/** The memory that typed arrays hold. */
function bufferBytes(): number {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
