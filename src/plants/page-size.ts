import type { StoredPlant } from '../plant.ts'
import { lengthOf } from './plants-json.ts'

/** The approximate length of a page, in characters of JSON. */
export const PAGE_LENGTH = 256 * 1024

/** A list of 10, and whether there is one more, takes one call of the storage. */
export const FIRST_PAGE = 11
const MAX_PAGE = 100
/** How much larger than the last page the next may be, since its plants may be larger. */
const MAX_GROWTH = 3

/** A plant of this length is large. */
const LARGE_LENGTH = 32 * 1024
/** The maximum size of a page of an owner with large plants. */
const PAGE_OF_LARGE = 4
/** How many such owners are remembered. */
const MAX_OWNERS = 1000

/** How many plants to read at a time. */
export interface PageSizes {
  /** The size of the first page of an owner's list. */
  first(owner: string): number
  /** Remembers what the plants of a page weigh. */
  learn(owner: string, page: readonly StoredPlant[]): void
  /** The size of the page after this one, which is not empty. */
  next(owner: string, page: readonly StoredPlant[]): number
}

/**
 * Sizes pages by what the plants before them weigh, since one page is read in one turn of the event loop. Large plants
 * may come after any number of small ones. So the owners with large plants are remembered, and get small pages.
 */
export function createPageSizes(): PageSizes {
  const ownersOfLarge = new Set<string>()

  function learn(owner: string, page: readonly StoredPlant[]): void {
    if (!page.some((plant) => lengthOf(plant) >= LARGE_LENGTH)) return
    ownersOfLarge.add(owner)
    const [oldest] = ownersOfLarge
    if (ownersOfLarge.size > MAX_OWNERS) ownersOfLarge.delete(oldest!)
  }

  return {
    first: (owner) => (ownersOfLarge.has(owner) ? 1 : FIRST_PAGE),
    learn,
    next(owner, page) {
      learn(owner, page)
      const max = ownersOfLarge.has(owner) ? PAGE_OF_LARGE : MAX_PAGE
      const average = page.reduce((sum, plant) => sum + lengthOf(plant), 0) / page.length
      const size = Math.min(Math.floor(PAGE_LENGTH / average), page.length * MAX_GROWTH, max)
      return Math.max(size, 1)
    },
  }
}

/** The first plants that fit a page together, at least one. */
export function fittingPart(plants: readonly StoredPlant[]): readonly StoredPlant[] {
  let length = 0
  let count = 0
  for (const plant of plants) {
    length += lengthOf(plant)
    if (length > PAGE_LENGTH) return plants.slice(0, Math.max(count, 1))
    count++
  }
  return plants
}
