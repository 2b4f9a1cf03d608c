import { Failure } from './failure.ts'
import { andThen, type MaybePromise } from './maybe-promise.ts'
import type { Plant, StoredPlant } from './plant.ts'
import type { PlantStorage } from './plant-storage.ts'
import type { Reply } from './reply.ts'

/**
 * How many plants are asked of the storage, and held in memory, at a time. A plant may be as large as
 * a body, so this many times `maxBodyBytes` is what a list may take.
 */
const PAGE_SIZE = 100
/** About how many characters of text are put into JSON at a time. */
const PART_LENGTH = 64 * 1024
/** About how many characters of text a list with `limit` may have to be kept until its end is known. */
const KEPT_LENGTH = 4 * 1024 * 1024
const MAX_LIMIT = 2 ** 31 - 1

/** What part of a list is asked for: at most `limit` plants (no limit: all) with id > `after`. */
export interface Page {
  limit?: number
  after?: bigint
}

/** Reads the query of a list, or throws the Failure that says what is wrong with it. */
export function readPage(query: string, maxLimit = Number.POSITIVE_INFINITY): Page {
  const { limits, cursors } = readParameters(query)
  const limit = Math.min(readLimit(limits) ?? maxLimit, maxLimit)
  return {
    limit: limit === Number.POSITIVE_INFINITY ? undefined : limit,
    after: readCursor(cursors),
  }
}

// As `link` writes it. Nothing in it needs the decoding that makes URLSearchParams slow.
const PLAIN_QUERY = /^limit=(\d+)(?:&cursor=([\da-f]+))?$/

function readParameters(query: string): { limits: string[]; cursors: string[] } {
  if (query === '') return { limits: [], cursors: [] }
  const [, limit, cursor] = PLAIN_QUERY.exec(query) ?? []
  if (limit !== undefined) return { limits: [limit], cursors: cursor === undefined ? [] : [cursor] }
  const parameters = new URLSearchParams(query)
  return { limits: parameters.getAll('limit'), cursors: parameters.getAll('cursor') }
}

function readLimit([text, ...more]: string[]): number | undefined {
  if (text === undefined) return undefined
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text) || Number(text) > MAX_LIMIT || more.length > 0) {
    throw new Failure('invalid_limit')
  }
  return Number(text)
}

/** A cursor is the id it goes on after, as the sixteen hexadecimal digits of its two's complement. */
function readCursor([text, ...more]: string[]): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text) || more.length > 0) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

function writeCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}

/** Reads a page of one owner's plants. */
export type ReadPlants = (page: Parameters<PlantStorage['list']>[1]) => MaybePromise<StoredPlant[]>

/**
 * Answers a list. All that can fail before the status is sent does: the first page is read, and so is
 * whether there is a next one. What one read of the storage brings is sent as it is; longer lists
 * are streamed.
 */
export function listReply(read: ReadPlants, { limit, after }: Page): MaybePromise<Reply> {
  if (limit === 0) return reply('[]')
  if (limit === undefined)
    return andThen(read({ after, limit: PAGE_SIZE }), (first) => wholeList(read, first))
  if (limit > PAGE_SIZE) return longPage(read, limit, after)

  return andThen(read({ after, limit: limit + 1 }), (plants) => {
    if (plants.length <= limit) return reply(body([plants]))
    const page = plants.slice(0, limit)
    return reply(body([page]), link(limit, page.at(-1)!))
  })
}

function wholeList(read: ReadPlants, first: StoredPlant[]): Reply {
  return reply(first.length < PAGE_SIZE ? body([first]) : toJsonParts(pagesFrom(read, first)))
}

/**
 * Walks to the last of the first `limit` plants before anything is sent, since its cursor stands in a
 * header. The pages read on the way are kept only while they are small, so that memory stays bounded
 * whatever the limit; then they are read again.
 */
async function longPage(read: ReadPlants, limit: number, after?: bigint): Promise<Reply> {
  let kept: StoredPlant[][] | undefined = []
  let keptLength = 0
  let last: StoredPlant | undefined
  let missing = limit
  while (missing > 0) {
    const size = Math.min(missing, PAGE_SIZE)
    const page = await read({ after: last?.id ?? after, limit: size })
    last = page.at(-1) ?? last
    missing -= page.length
    keptLength += lengthOf(page)
    if (keptLength > KEPT_LENGTH) kept = undefined
    kept?.push(page)
    if (page.length < size) break
    await turnOfTheLoop()
  }
  const more = missing === 0 && (await read({ after: last!.id, limit: 1 })).length > 0
  const plants = kept ? body(kept) : toJsonParts(pagesUpTo(read, limit, after, last!))
  return reply(plants, more ? link(limit, last!) : {})
}

type Pages = Iterable<StoredPlant[]> | AsyncIterable<StoredPlant[]>

async function* pagesFrom(read: ReadPlants, first: StoredPlant[]): AsyncGenerator<StoredPlant[]> {
  for (let page = first; ; page = await read({ after: page.at(-1)!.id, limit: PAGE_SIZE })) {
    yield page
    if (page.length < PAGE_SIZE) return
    await turnOfTheLoop()
  }
}

/** The plants up to `last`, which were `limit` at most when they were counted. */
async function* pagesUpTo(
  read: ReadPlants,
  limit: number,
  after: bigint | undefined,
  last: StoredPlant,
): AsyncGenerator<StoredPlant[]> {
  let room = limit
  for await (const page of pagesFrom(read, await read({ after, limit: PAGE_SIZE }))) {
    const plants = page.filter(({ id }) => id <= last.id)
    room -= plants.length
    if (room < 0) throw new Error('So many plants were added meanwhile that limit is exceeded')
    yield plants
    if (plants.length < page.length) return
  }
}

/** A storage that answers at once, and a client that reads at once, must not keep all others waiting. */
function turnOfTheLoop(): Promise<void> | undefined {
  // Workers may lack it, but their storages answer over the network.
  if (typeof setImmediate === 'undefined') return undefined
  return new Promise((resolve) => setImmediate(resolve))
}

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  // null is what SQL keeps for a plant without tag.
  return { name, tag: tag ?? undefined }
}

/** The JSON of some pages: at once, unless there is so much that it had better be sent in parts. */
function body(pages: StoredPlant[][]): Reply['body'] {
  const [page, ...more] = pages
  if (page && more.length === 0 && lengthOf(page) <= PART_LENGTH) return toJson(page)
  return toJsonParts(pages)
}

/** One JSON array of the plants of all pages. */
async function* toJsonParts(pages: Pages): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    for (const part of partsOf(page)) {
      yield separator + toJson(part).slice(1, -1)
      separator = ','
    }
  }
  yield separator === '[' ? '[]' : ']'
}

/** Splits a page so that the text of each part is about PART_LENGTH at most. */
function* partsOf(page: StoredPlant[]): Generator<StoredPlant[]> {
  let start = 0
  let length = 0
  for (const [index, plant] of page.entries()) {
    length += lengthOf([plant])
    if (length < PART_LENGTH) continue
    yield page.slice(start, index + 1)
    start = index + 1
    length = 0
  }
  if (start < page.length) yield page.slice(start)
}

function lengthOf(plants: StoredPlant[]): number {
  let length = 0
  for (const { name, tag } of plants) length += name.length + (tag?.length ?? 0)
  return length
}

function toJson(plants: StoredPlant[]): string {
  return JSON.stringify(plants.map(toPlant))
}

function reply(body: Reply['body'], headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** A query alone is a relative reference (RFC 3986, section 4.2): right under every mount path and proxy. */
function link(limit: number, { id }: StoredPlant): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${writeCursor(id)}>; rel="next"` }
}
