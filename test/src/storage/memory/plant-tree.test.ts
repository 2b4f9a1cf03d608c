import { describe, expect, it } from 'vitest'
import {
  emptyTree,
  insertPlant,
  type PlantTree,
  removePlant,
} from '../../../../src/storage/memory/plant-tree.ts'

const COUNT = 20_000

/** Each returns all numbers from 0 to COUNT - 1, in another order. */
const orders: Record<string, (index: number) => number> = {
  'in ascending order': (index) => index,
  'in descending order': (index) => COUNT - 1 - index,
  'from both ends': (index) => (index % 2 ? COUNT - (index + 1) / 2 : index / 2),
  // The multiplier shares no factor with COUNT.
  scattered: (index) => (index * 7919) % COUNT,
}
const pairs = Object.keys(orders).flatMap((added) =>
  Object.keys(orders).map((removed) => [added, removed]),
)

describe('the tree of plants', () => {
  it.each(pairs)('stays balanced: ids are added %s and removed %s', (added, removed) => {
    let tree = emptyTree()
    for (let index = 0; index < COUNT; index++) {
      tree = insertPlant(tree, { id: BigInt(orders[added!]!(index)), name: '' })!
    }
    expectBalanced(tree)
    for (let index = 0; index < COUNT; index++) {
      tree = removePlant(tree, BigInt(orders[removed!]!(index)))!
      if (index % 2500 === 0) expectBalanced(tree)
    }
    expect(tree).toEqual(emptyTree())
  })
})

/** All leaves have the same depth, and no node but the root is nearly empty, so the depth is logarithmic. */
function expectBalanced(root: PlantTree): void {
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
