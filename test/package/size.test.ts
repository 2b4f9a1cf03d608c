import { expect, it } from 'vitest'
import { bundleSize, CLIENT, WORKER } from '../bench/bundle-size.ts'

it('keeps a Worker of the core and D1 within 12.5 KiB, minified and gzipped', async () => {
  expect(await bundleSize(WORKER)).toBeLessThanOrEqual(12.5)
})

it('keeps the client within 2 KiB, minified and gzipped', async () => {
  expect(await bundleSize(CLIENT)).toBeLessThanOrEqual(2)
})
