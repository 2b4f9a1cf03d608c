/** The most bytes of JSON that the plants of one page were created with. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024
/** The first page of a list without `limit`, whose first byte shall come as soon as that of a short list. */
const FIRST_PAGE = 101
const MAX_PAGE = 512

/** The number of plants to ask a storage for. */
export interface PageSizes {
  readonly first: number
  readonly max: number
}

/**
 * Sizes pages so that one is bounded whatever its plants are, since nobody knows the size of those to come. At the
 * default of `maxBodyBytes`, the largest page has 512 plants of 64 KiB.
 *
 * @param maxBodyBytes the size of the largest plant
 */
export function pageSizes(maxBodyBytes: number): PageSizes {
  const max = Math.min(Math.max(Math.floor(MAX_PAGE_BYTES / maxBodyBytes), 1), MAX_PAGE)
  return { first: Math.min(FIRST_PAGE, max), max }
}
