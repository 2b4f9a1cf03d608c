import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createBodyBuffer } from '../../../src/adapter.ts'
import { collectGarbage } from '../../shared/collect-garbage.ts'

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

  it.each([{ sizes: [1] }, { sizes: [1, 16_384] }])(
    'releases the read buffers of the host but the latest, and seldom moves what it has, with chunks of $sizes bytes',
    async ({ sizes }) => {
      const buffer = createBodyBuffer(100_000_000)
      let moves = 0
      let memory: WeakRef<ArrayBufferLike> | undefined
      const readBuffers: WeakRef<ArrayBuffer>[] = []
      let length = 0
      for (let i = 0; i < 1000; i++) {
        const readBuffer = new ArrayBuffer(65_536)
        const chunk = new Uint8Array(readBuffer, 0, sizes[i % sizes.length]!)
        readBuffers.push(new WeakRef(readBuffer))
        buffer.add(chunk)
        const { buffer: current } = buffer.toBytes()
        if (memory?.deref() !== current) moves++
        memory = new WeakRef(current)
        length += chunk.byteLength
      }
      await vi.waitFor(() => {
        collectGarbage()
        const kept = readBuffers.filter((readBuffer) => readBuffer.deref()).length
        expect(kept).toBeLessThanOrEqual(1)
      })
      expect(buffer.toBytes().byteLength).toBe(length)
      expect(moves).toBeLessThan(50)
    },
  )
})
