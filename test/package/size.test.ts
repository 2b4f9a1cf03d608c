import { expect, it } from 'vitest'
import { bundleSizes } from './bundle-sizes.ts'

it('The Worker and the client are no larger than their limits', async () => {
  const sizes = await bundleSizes()
  expect(sizes).toHaveLength(2)
  expect(sizes.filter(({ passed }) => !passed)).toEqual([])
})
