import { expect, it } from 'vitest'
import { bundleSizes } from './bundle-sizes.ts'

it('The Worker and the client are no larger than their limits', async () => {
  expect(await bundleSizes()).toMatchObject([{ passed: true }, { passed: true }])
})
