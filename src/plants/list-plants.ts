import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import { jsonReply, type Reply } from '../reply.ts'
import { type ListQuery, nextLinkHeader } from './list-query.ts'
import { lengthOf, toBody, toParts } from './plants-json.ts'

/**
 * How many plants to read from the storage, and to hold in memory, at a time. A plant may be as large as
 * a body, so a list may take this many times `maxBodyBytes`.
 */
export const PAGE_SIZE = 100
/** A list with `limit` is buffered up to about this many characters of JSON. */
const MAX_KEPT_LENGTH = 4 * 1024 * 1024

// Saved here, since fake timers of an app's tests replace the global one, and a list would hang.
const { setImmediate } = globalThis

/** Reads one page of the owner's plants. */
export type ReadPage = (query: PageQuery) => MaybePromise<readonly StoredPlant[]>

/**
 * Lists plants. Reads the first page, and finds out whether there is a next one, before the status is sent, so
 * that a failure of either is a clean 503. A list that fits in one page is sent whole, a longer one is streamed.
 */
export function listPlants(read: ReadPage, { limit, after }: ListQuery): MaybePromise<Reply> {
  if (limit === 0) return jsonReply('[]')
  if (limit === undefined) {
    return andThen(read({ after, limit: PAGE_SIZE }), listAll, read)
  }
  if (limit > PAGE_SIZE) return listLongPage(read, limit, after)

  return andThen(read({ after, limit: limit + 1 }), listPage, limit)
}

/** @param plants up to one more than `limit` */
function listPage(plants: readonly StoredPlant[], limit: number): Reply {
  if (plants.length <= limit) return jsonReply(toBody([plants]))
  const page = plants.slice(0, limit)
  return jsonReply(toBody([page]), { headers: nextLinkHeader(limit, page.at(-1)!) })
}

function listAll(first: readonly StoredPlant[], read: ReadPage): Reply {
  return jsonReply(first.length < PAGE_SIZE ? toBody([first]) : toParts(readPages(read, first)))
}

/**
 * Walks to the last of the first `limit` plants before anything is sent, since its cursor goes into a header.
 * The pages are kept while they are small, and read again otherwise, so memory is bounded whatever the limit.
 */
async function listLongPage(read: ReadPage, limit: number, after?: bigint): Promise<Reply> {
  let kept: (readonly StoredPlant[])[] | undefined = []
  let keptLength = 0
  let last: StoredPlant | undefined
  let missing = limit
  while (missing > 0) {
    const size = Math.min(missing, PAGE_SIZE)
    const page = await read({ after: last?.id ?? after, limit: size })
    last = page.at(-1) ?? last
    missing -= page.length
    keptLength += lengthOf(page)
    if (keptLength > MAX_KEPT_LENGTH) kept = undefined
    kept?.push(page)
    if (page.length < size) break
    await yieldToEventLoop()
  }
  const hasMore = missing === 0 && (await read({ after: last!.id, limit: 1 })).length > 0
  const body = kept ? toBody(kept) : toParts(readPagesUpTo(read, limit, after, last!))
  return jsonReply(body, hasMore ? { headers: nextLinkHeader(limit, last!) } : {})
}

async function* readPages(
  read: ReadPage,
  first: readonly StoredPlant[],
): AsyncGenerator<readonly StoredPlant[]> {
  for (let page = first; ; page = await read({ after: page.at(-1)!.id, limit: PAGE_SIZE })) {
    yield page
    if (page.length < PAGE_SIZE) return
    await yieldToEventLoop()
  }
}

/** Reads the plants up to `last` again. There were at most `limit` of them when they were counted. */
async function* readPagesUpTo(
  read: ReadPage,
  limit: number,
  after: bigint | undefined,
  last: StoredPlant,
): AsyncGenerator<readonly StoredPlant[]> {
  let room = limit
  for await (const page of readPages(read, await read({ after, limit: PAGE_SIZE }))) {
    const plants = page.filter(({ id }) => id <= last.id)
    room -= plants.length
    if (room < 0) throw new Error('Plants created during the list exceed its limit')
    yield plants
    if (plants.length < page.length) return
  }
}

/** Lets other requests run, since a list from memory to a fast client would never wait. */
function yieldToEventLoop(): Promise<void> | undefined {
  // Workers may lack setImmediate, but their storages answer over the network.
  if (setImmediate === undefined) return undefined
  return new Promise((resolve) => setImmediate(resolve))
}
