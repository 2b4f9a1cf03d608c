import type { StoredPlant } from '../../plant.ts'

/**
 * A B+ tree of plants in the order of their ids. The keys of a node are ascending, one per item. In a leaf, a
 * key is the plant's id. In a branch, it is a lower bound of the ids under the child. The first key of a
 * branch may be too high after a smaller id was added, but its value doesn't affect a search.
 */
export type PlantTree = Leaf | Branch

interface Leaf {
  leaf: true
  keys: bigint[]
  items: StoredPlant[]
}

interface Branch {
  leaf: false
  keys: bigint[]
  items: PlantTree[]
}

const MAX_ITEMS = 64
// Well below half of MAX_ITEMS, so that alternating creates and deletes don't split and merge each time.
const MIN_ITEMS = 16

/** Creates a tree without plants. */
export function emptyTree(): PlantTree {
  return { leaf: true, keys: [], items: [] }
}

/** Adds a plant to the tree and returns its new root, or `undefined` if the id is taken. */
export function insertPlant(tree: PlantTree, plant: StoredPlant): PlantTree | undefined {
  if (!insert(tree, plant)) return undefined
  if (tree.items.length <= MAX_ITEMS) return tree
  const right = split(tree)
  return { leaf: false, keys: [tree.keys[0]!, right.keys[0]!], items: [tree, right] }
}

/** Removes a plant from the tree and returns its new root, or `undefined` if no plant has the id. */
export function removePlant(tree: PlantTree, id: bigint): PlantTree | undefined {
  if (!remove(tree, id)) return undefined
  return !tree.leaf && tree.items.length === 1 ? tree.items[0] : tree
}

/** Returns the first `limit` plants with id > `after`. */
export function readPlants(
  tree: PlantTree,
  after: bigint | undefined,
  limit: number,
): StoredPlant[] {
  const plants: StoredPlant[] = []
  collect(tree, after, limit, plants)
  return plants
}

function insert(tree: PlantTree, plant: StoredPlant): boolean {
  const position = countUpTo(tree.keys, plant.id)
  if (tree.leaf) {
    if (tree.keys[position - 1] === plant.id) return false
    tree.keys.splice(position, 0, plant.id)
    tree.items.splice(position, 0, plant)
    return true
  }
  const index = Math.max(position - 1, 0)
  const child = tree.items[index]!
  if (!insert(child, plant)) return false
  if (child.items.length > MAX_ITEMS) splitChild(tree, index)
  return true
}

function remove(tree: PlantTree, id: bigint): boolean {
  const index = Math.max(countUpTo(tree.keys, id) - 1, 0)
  if (tree.leaf) {
    if (tree.keys[index] !== id) return false
    tree.keys.splice(index, 1)
    tree.items.splice(index, 1)
    return true
  }
  const child = tree.items[index]!
  if (!remove(child, id)) return false
  if (child.items.length < MIN_ITEMS) mergeChildren(tree, Math.max(index - 1, 0))
  return true
}

function collect(
  tree: PlantTree,
  after: bigint | undefined,
  limit: number,
  plants: StoredPlant[],
): void {
  const position = after === undefined ? 0 : countUpTo(tree.keys, after)
  if (tree.leaf) {
    const end = Math.min(tree.items.length, position + limit - plants.length)
    for (let index = position; index < end; index++) plants.push(tree.items[index]!)
    return
  }
  for (let index = Math.max(position - 1, 0); index < tree.items.length; index++) {
    if (plants.length >= limit) return
    collect(tree.items[index]!, after, limit, plants)
  }
}

function splitChild(tree: Branch, index: number): void {
  const right = split(tree.items[index]!)
  tree.keys.splice(index + 1, 0, right.keys[0]!)
  tree.items.splice(index + 1, 0, right)
}

/** Merges a child with its right neighbour, and splits the result evenly if it is too large. */
function mergeChildren(tree: Branch, index: number): void {
  const left = tree.items[index]!
  // There is one: a branch with a single child is a root that removePlant has replaced.
  const right = tree.items.splice(index + 1, 1)[0]!
  tree.keys.splice(index + 1, 1)
  left.keys.push(...right.keys)
  left.items.push(...(right.items as never[]))
  if (left.items.length > MAX_ITEMS) splitChild(tree, index)
}

/** Moves the upper half of a node to a new one. */
function split(tree: PlantTree): PlantTree {
  const half = tree.items.length >> 1
  return {
    leaf: tree.leaf,
    keys: tree.keys.splice(half),
    items: tree.items.splice(half),
  } as PlantTree
}

/** Counts the keys that are not greater than `key`. The keys are ascending. */
function countUpTo(keys: bigint[], key: bigint): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! <= key) low = middle + 1
    else high = middle
  }
  return low
}
