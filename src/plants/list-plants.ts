import { jsonReply } from '../http/json-reply.ts'
import { nextLinkHeader } from '../http/link-header.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import type { Reply } from '../reply.ts'
import { formatCursor, type ListQuery } from './list-query.ts'
import { FIRST_PAGE, fittingPart, PAGE_LENGTH } from './page-size.ts'
import { lengthOf, toJson, toJsonPart } from './plants-json.ts'

/** A list with `limit` is buffered up to about this many characters of JSON. */
const MAX_KEPT_LENGTH = 2 * PAGE_LENGTH

type Plants = readonly StoredPlant[]

/** Reads an owner's plants from the storage. */
export interface PageReader {
  /** How many plants to read first. */
  readonly firstSize: number
  /** Reads the first page. */
  first(query: PageQuery): Promise<Plants>
  /** Remembers what the plants of the first page weigh. */
  learn(page: Plants): void
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
  reader.learn(first)
  const isAll = first.length < size || size > limit
  if (isAll && fittingPart(first) === first) return toReply(first, limit)
  if (query.limit === undefined) return jsonReply(toParts(createPages(reader, first, size)))
  return listUpTo(reader, first, size, limit, after)
}

/**
 * Responds to HEAD. Reads one plant where GET would read many, since headers that can only be computed with the body
 * may be omitted (RFC 9110, section 9.3.2).
 */
export async function headPlants(reader: PageReader, query: ListQuery): Promise<Reply> {
  if (query.limit !== undefined && query.limit < FIRST_PAGE) return listPlants(reader, query)
  reader.learn(await reader.first({ after: query.after, limit: 1 }))
  return jsonReply(toParts(async () => undefined))
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
  const nextPage = createPages(reader, first, size, limit + 1)
  for (let page = await nextPage(); page; page = await nextPage()) {
    count += page.length
    last = count > limit ? (page.at(-2) ?? last) : page.at(-1)
    for (const plant of page) keptLength += lengthOf(plant)
    if (keptLength > MAX_KEPT_LENGTH) kept = undefined
    kept?.push(page)
  }
  if (kept) return toReply(kept.flat(), limit)
  const headers = count > limit ? nextLinkHeader(limit, formatCursor(last!.id)) : {}
  const again = Math.min(limit, reader.firstSize)
  const page = await reader.later({ after, limit: again })
  const pages = createPages(reader, page, again, limit, last!.id)
  return jsonReply(toParts(pages), { headers })
}

/** @param plants up to one more than `limit` */
function toReply(plants: Plants, limit: number): Reply {
  if (plants.length <= limit) return jsonReply(toJson(plants))
  const page = plants.slice(0, limit)
  const headers = nextLinkHeader(limit, formatCursor(page.at(-1)!.id))
  return jsonReply(toJson(page), { headers })
}

/**
 * Reads the next page; undefined after the last. Not a generator: while its caller waits for a client that doesn't read,
 * V8 would keep each page in the generator's registers.
 */
type NextPage = () => Promise<Plants | undefined>

/**
 * Reads up to `limit` plants, in pages that fit into the memory of a request.
 *
 * @param first the first ones
 * @param size how many were asked for
 * @param last the last id, if it is known. Up to it, there were at most `limit` plants when they were counted
 */
function createPages(
  reader: PageReader,
  first: Plants | undefined,
  size: number,
  limit = Number.POSITIVE_INFINITY,
  last?: bigint,
): NextPage {
  let missing = limit
  let isLast = false
  let after: bigint | undefined

  return async () => {
    if (isLast) return undefined
    const plants = first ?? (await reader.later({ after, limit: size }))
    first = undefined
    // The rest is read again, since a client that doesn't read would keep it in memory.
    const fitting = fittingPart(plants)
    const page = last === undefined ? fitting : fitting.filter(({ id }) => id <= last)
    missing -= page.length
    isLast =
      missing === 0 || page.length < fitting.length || (fitting === plants && plants.length < size)
    if (page.length === 0) return undefined
    after = page.at(-1)!.id
    if (missing === 0 && last !== undefined && after < last) {
      throw new Error('New plants exceed limit')
    }
    size = Math.min(reader.nextSize(page), missing)
    return page
  }
}

/** Streams the plants of all pages as one JSON array. */
function toParts(nextPage: NextPage): AsyncIterable<string> {
  let isFirst = true
  let isOver = false

  async function next(): Promise<IteratorResult<string>> {
    if (isOver) return { done: true, value: undefined }
    const page = await nextPage()
    const end = isFirst ? '[]' : ']'
    const value = page ? toJsonPart(page, isFirst) : end
    isFirst = false
    isOver = page === undefined
    return { done: false, value }
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}
