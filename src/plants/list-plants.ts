import { jsonReply } from '../http/json-reply.ts'
import { nextLinkHeader } from '../http/link-header.ts'
import type { MaybePromise } from '../lib/promises.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import type { Reply } from '../reply.ts'
import { formatCursor, type ListQuery } from './list-query.ts'
import type { PageSizes } from './page-size.ts'
import { addPage, createPart, type PlantsPart, toJson } from './plants-json.ts'

/** A response with `limit` ends before it has more than this many characters of JSON. */
const MAX_RESPONSE_CHARACTERS = 1024 * 1024
/** A page has at most this many times the plants of the part before it. */
const MAX_GROWTH = 4
/** A list without `limit` is sent in parts of about this many characters. */
const PART_CHARACTERS = 256 * 1024

/** Reads an owner's plants from the storage. */
export interface PageReader {
  readonly sizes: PageSizes
  readFirst(query: PageQuery): MaybePromise<readonly StoredPlant[]>
  readLater(query: PageQuery): MaybePromise<readonly StoredPlant[]>
}

/** Lists plants: with `limit` in one string, and otherwise streamed, however many there are. */
export async function listPlants(reader: PageReader, query: ListQuery): Promise<Reply> {
  const { limit, after } = query
  if (limit === undefined) return listAll(reader, after)
  return limit === 0 ? jsonReply('[]') : listUpTo(limit, reader, query, MAX_RESPONSE_CHARACTERS)
}

/**
 * Reads one plant more than `limit`, to know whether there are more. While plants are so large that few fit a response,
 * the cursor says how many, so that each response reads little more than it sends.
 */
async function listUpTo(
  limit: number,
  reader: PageReader,
  query: ListQuery,
  maxCharacters: number,
): Promise<Reply> {
  const { sizes, readFirst, readLater } = reader
  const { after, fitting = sizes.max } = query
  const part = createPart(after)
  let size = Math.min(Math.max(2 * fitting, 1), sizes.max, limit + 1)
  const first = readFirst({ after, limit: size })
  // A page that is there is used up at once: other requests of this turn of the event loop read theirs after it.
  let page = first instanceof Promise ? await first : first
  let hasMore = true
  while (addPage(part, page, maxCharacters, limit)) {
    hasMore = page.length === size
    if (!hasMore) break
    size = Math.min(
      nextSize(part, maxCharacters - part.characters, sizes),
      limit + 1 - part.plants.length,
    )
    page = await readLater({ after: part.last, limit: size })
  }
  const { plants, last } = part
  const json = toJson(plants)
  // Escapes have made it up to six times as long.
  if (json.length > 2 * MAX_RESPONSE_CHARACTERS && plants.length > 1) {
    return listUpTo(limit, reader, query, (maxCharacters * MAX_RESPONSE_CHARACTERS) / json.length)
  }
  if (!hasMore) return jsonReply(json)
  const cursor = formatCursor(last!, plants.length < limit ? plants.length : undefined)
  return jsonReply(json, { headers: nextLinkHeader(limit, cursor) })
}

/** Reads the first page before the status is sent, so that its failure is a clean 503. */
async function listAll(reader: PageReader, after: bigint | undefined): Promise<Reply> {
  const size = reader.sizes.first
  const first = reader.readFirst({ after, limit: size })
  const page = first instanceof Promise ? await first : first
  const part = createPart(after)
  const isAll = addPage(part, page, PART_CHARACTERS) && page.length < size
  return jsonReply(isAll ? toJson(part.plants) : streamParts(reader, part))
}

/**
 * Streams the plants as one JSON array, a page a part. Plants of a page that don't fit its part are read again: a client
 * that doesn't read would keep them in memory. Not a generator: while its caller waits for such a client, V8 would keep
 * the page in the generator's registers.
 */
function streamParts(reader: PageReader, first: PlantsPart): AsyncIterable<string> {
  let after: bigint | undefined
  let size = nextSize(first, PART_CHARACTERS, reader.sizes)
  let unsent: PlantsPart | undefined = first
  let isOver = false

  async function next(): Promise<IteratorResult<string>> {
    if (isOver) return { done: true, value: undefined }
    const isFirst = unsent !== undefined
    const part = unsent ?? (await nextPart())
    unsent = undefined
    after = part.last
    return { done: false, value: toJson(part.plants, isFirst, isOver) }
  }

  async function nextPart(): Promise<PlantsPart> {
    const page = await reader.readLater({ after, limit: size })
    const part = createPart(after)
    isOver = addPage(part, page, PART_CHARACTERS) && page.length < size
    if (!isOver) size = nextSize(part, PART_CHARACTERS, reader.sizes)
    return part
  }
  return { [Symbol.asyncIterator]: () => ({ next }) }
}

/** The size of the page after a part: so many plants of their average size as have room, which few plants say little of. */
function nextSize({ plants, characters }: PlantsPart, room: number, { max }: PageSizes): number {
  const fitting = Math.floor((room * plants.length) / characters)
  return Math.min(Math.max(fitting, 1), MAX_GROWTH * plants.length, max)
}
