import { describe, expect, it } from 'vitest'
import { bundleSize, CLIENT, WORKER } from '../bench/bundle-size.ts'

describe('The size, minified and gzipped,', () => {
  it('of a Worker with the core and D1 is at most 19 KiB', async () => {
    expect(await bundleSize(WORKER)).toBeLessThanOrEqual(19)
  })

  it('of the client is at most 2.6 KiB', async () => {
    expect(await bundleSize(CLIENT)).toBeLessThanOrEqual(2.6)
  })
})
