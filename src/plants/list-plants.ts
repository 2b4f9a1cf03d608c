import { jsonReply } from '../http/json-reply.ts'
import { nextLinkHeader } from '../http/link-header.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import type { Reply } from '../reply.ts'
import { formatCursor, type ListQuery } from './list-query.ts'
import { FIRST_PAGE, fittingPart, PAGE_LENGTH } from './page-size.ts'
import { lengthOf, toJson } from './plants-json.ts'

/** A list with `limit` is buffered up to about this many characters of JSON. */
const MAX_KEPT_LENGTH = 2 * PAGE_LENGTH

type Plants = readonly StoredPlant[]

/** Reads an owner's plants from the storage. */
export interface PageReader {
  /** How many plants to read first. */
  readonly firstSize: number
  /** Reads the first page. */
  first(query: PageQuery): Promise<Plants>
  /** Reads a later page. */
  later(query: PageQuery): Promise<Plants>
  /** How many plants to read after this page, which is not empty. */
  nextSize(page: Plants): number
}

/**
 * Lists plants. Reads the first page, and finds out whether there is a next one, before the status is sent, so
 * that a failure of either is a clean 503. A short list is one string, from one call of the storage.
 */
export async function listPlants(reader: PageReader, query: ListQuery): Promise<Reply> {
  const { after, limit = Number.POSITIVE_INFINITY } = query
  if (limit === 0) return jsonReply('[]')
  // Math.min(Infinity, …) is a double on Bun, which takes a storage out of its compiled code (npm run bench -- frameworks).
  const size = limit < reader.firstSize ? limit + 1 : reader.firstSize
  const first = await reader.first({ after, limit: size })
  const isAll = first.length < size || size > limit
  if (isAll && fittingPart(first) === first) return toReply([first], limit)
  if (query.limit === undefined) return jsonReply(toParts(readPages(reader, first, size)))
  return listUpTo(reader, first, size, limit, after)
}

/**
 * Responds to HEAD. Reads one plant where GET would read many, since headers that can only be computed with the body
 * may be omitted (RFC 9110, section 9.3.2).
 */
export async function headPlants(reader: PageReader, query: ListQuery): Promise<Reply> {
  if (query.limit !== undefined && query.limit < FIRST_PAGE) return listPlants(reader, query)
  await reader.first({ after: query.after, limit: 1 })
  return jsonReply(toParts([]))
}

/**
 * Walks to the last of the first `limit` plants before anything is sent, since its cursor goes into a header.
 * The pages are kept while they are small, and read again otherwise, so memory is bounded whatever the limit.
 */
async function listUpTo(
  reader: PageReader,
  first: Plants,
  size: number,
  limit: number,
  after: bigint | undefined,
): Promise<Reply> {
  let kept: Plants[] | undefined = []
  let keptLength = 0
  let count = 0
  let last: StoredPlant | undefined
  for await (const page of readPages(reader, first, size, limit + 1)) {
    count += page.length
    last = count > limit ? (page.at(-2) ?? last) : page.at(-1)
    for (const plant of page) keptLength += lengthOf(plant)
    if (keptLength > MAX_KEPT_LENGTH) kept = undefined
    kept?.push(page)
  }
  if (kept) return toReply(kept, limit)
  const headers = count > limit ? nextLinkHeader(limit, formatCursor(last!.id)) : {}
  return jsonReply(toParts(readAgain(reader, after, limit, last!.id)), { headers })
}

/** @param pages up to one plant more than `limit` */
function toReply(pages: readonly Plants[], limit: number): Reply {
  const plants = pages.flat()
  if (plants.length <= limit) return jsonReply(toJson(plants))
  const page = plants.slice(0, limit)
  const headers = nextLinkHeader(limit, formatCursor(page.at(-1)!.id))
  return jsonReply(toJson(page), { headers })
}

/**
 * Reads up to `limit` plants, in pages that fit into the memory of a request.
 *
 * @param plants the first ones
 * @param size how many were asked for
 */
async function* readPages(
  reader: PageReader,
  plants: Plants,
  size: number,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Plants> {
  for (let missing = limit; ; ) {
    const page = fittingPart(plants)
    const isLast = page === plants && plants.length < size
    missing -= page.length
    // The rest is read again, since a client that doesn't read would keep it in memory.
    plants = []
    if (page.length > 0) yield page
    if (isLast || missing === 0) return
    size = Math.min(reader.nextSize(page), missing)
    plants = await reader.later({ after: page.at(-1)!.id, limit: size })
  }
}

/** Reads the plants up to the id `last` again. There were at most `limit` of them when they were counted. */
async function* readAgain(
  reader: PageReader,
  after: bigint | undefined,
  limit: number,
  last: bigint,
): AsyncGenerator<Plants> {
  const size = Math.min(limit, reader.firstSize)
  let room = limit
  for await (const page of readPages(reader, await reader.later({ after, limit: size }), size)) {
    const plants = page.filter(({ id }) => id <= last)
    room -= plants.length
    if (room < 0) throw new Error('Plants created during the list exceed its limit')
    yield plants
    if (plants.length < page.length) return
  }
}

/** Streams the plants of all pages as one JSON array. */
async function* toParts(pages: Iterable<Plants> | AsyncIterable<Plants>): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    if (page.length === 0) continue
    yield separator + toJson(page).slice(1, -1)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
