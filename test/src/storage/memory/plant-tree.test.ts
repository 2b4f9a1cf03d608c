import { describe, expect, it } from 'vitest'
import {
  emptyTree,
  type PlantTree,
  withoutPlant,
  withPlant,
} from '../../../../src/storage/memory/plant-tree.ts'

const COUNT = 20_000

/** Each is all the numbers from 0 to COUNT - 1, in another order. */
const orders: Record<string, (index: number) => number> = {
  'from the first': (index) => index,
  'from the last': (index) => COUNT - 1 - index,
  'from both ends': (index) => (index % 2 ? COUNT - (index + 1) / 2 : index / 2),
  // The multiplier shares no factor with COUNT.
  'here and there': (index) => (index * 7919) % COUNT,
}
const pairs = Object.keys(orders).flatMap((come) => Object.keys(orders).map((go) => [come, go]))

describe('the tree of plants', () => {
  it.each(pairs)('stays level and well filled: ids come %s and go %s', (come, go) => {
    let tree = emptyTree()
    for (let index = 0; index < COUNT; index++) {
      tree = withPlant(tree, { id: BigInt(orders[come!]!(index)), name: '' })!
    }
    expectWellShaped(tree)
    for (let index = 0; index < COUNT; index++) {
      tree = withoutPlant(tree, BigInt(orders[go!]!(index)))!
      if (index % 2500 === 0) expectWellShaped(tree)
    }
    expect(tree).toEqual(emptyTree())
  })
})

/** All leaves are equally deep, and no node but the root is nearly empty: so the depth is logarithmic. */
function expectWellShaped(root: PlantTree): void {
  const depths = new Set<number>()
  const sizes: number[] = []
  visit(root, 1)
  expect([...depths]).toHaveLength(1)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16)
  expect(Math.max(...sizes, root.items.length)).toBeLessThanOrEqual(64)

  function visit(tree: PlantTree, depth: number): void {
    expect(tree.keys).toHaveLength(tree.items.length)
    if (tree !== root) sizes.push(tree.items.length)
    if (tree.leaf) depths.add(depth)
    else for (const child of tree.items) visit(child, depth + 1)
  }
}
