import { type ErrorName, Failure } from '../errors.ts'
import { assertConnected, type Exchange } from '../http/context.ts'
import { jsonReply } from '../http/reply.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { kindOf, MAX_INT32 } from '../lib/arguments.ts'
import { INT64_MAX, INT64_MIN } from '../lib/int64.ts'
import { isCloudflareWorkers, isDeno } from '../lib/runtime.ts'
import type { ResolvedOptions } from '../options.ts'
import { createSlots } from '../overload.ts'
import type { Plant, StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import type { Reply } from '../reply.ts'
import { type GuardedStorage, wrongPage } from './guard.ts'

/** A response with `limit` has at most this many characters of JSON. */
const MAX_RESPONSE_CHARACTERS = 1024 * 1024
/** A list without `limit` is sent in parts of about this many characters. */
const PART_CHARACTERS = 256 * 1024
/** The maximum total size of the create bodies behind one page. A Worker has 128 MB for all its requests. */
const MAX_PAGE_BYTES = (isCloudflareWorkers() ? 2 : 8) * 1024 * 1024
const MAX_PAGE = 512
/** One call reads a list of 100, and shows that there are no more. */
const SMALL_PAGE = 101
/** A page has at most this many times the plants of the part before it. */
const MAX_GROWTH = 4
/** The plants of an owner are large if those of a first page are longer than this. */
const LARGE_CHARACTERS = 64 * 1024
/** For how long an owner is then taken for one of large plants. */
const LARGE_MS = 10_000
/** The length of `{"name":"","tag":""},`. */
const PLANT_JSON_OVERHEAD = 21

/** Reads a page of an owner's plants. */
type ReadPage = (query: PageQuery) => Promise<readonly StoredPlant[]>

/** The list of a request. */
interface OwnersList {
  readonly owner: string
  readonly after: bigint | undefined
  /** Whether the owner's plants have lately been large. */
  readonly isLarge: boolean
  readonly readPage: ReadPage
}

/**
 * Creates the operation that lists an owner's plants: with `limit` in one string, and otherwise streamed, however many there
 * are.
 */
export function createListPlants(
  storage: GuardedStorage,
  { maxBodyBytes, maxLimit }: ResolvedOptions,
) {
  // The size of plants isn't known before they are read, so a page is bounded as if all were the largest.
  const maxPage = Math.min(Math.max(Math.floor(MAX_PAGE_BYTES / maxBodyBytes), 1), MAX_PAGE)
  const waitForTurn = createPageTurns()
  const largeUntil = new Map<string, number>()
  /** The owners whose first page, of more than SMALL_PAGE plants, is being read. */
  const readingMuch = new Set<string>()

  return (exchange: Exchange, owner: string): Promise<Reply> => {
    const { limit, after } = parseListQuery(exchange.target.query, maxLimit)
    const isLarge = largeUntil.size > 0 && (largeUntil.get(owner) ?? 0) > performance.now()
    let hasBegun = false
    function readPage(query: PageQuery): Promise<readonly StoredPlant[]> {
      const isLaterPage = hasBegun
      hasBegun = true
      if (!isLaterPage && !isLarge) return storage.list(exchange, owner, query)
      const turn = waitForTurn(owner, exchange.request)
      return turn.then(() => storage.list(exchange, owner, query, isLaterPage))
    }
    const list = { owner, after, isLarge, readPage }
    return limit === undefined ? listAll(list) : listUpTo(limit, list)
  }

  /** Reads one plant more than `limit`, to know whether there are more. */
  async function listUpTo(
    limit: number,
    { owner, after, isLarge, readPage }: OwnersList,
  ): Promise<Reply> {
    if (limit === 0) return jsonReply('[]')
    const part = createPart()
    let size = Math.min(limit + 1, maxPage)
    if (size > SMALL_PAGE && (isLarge || readingMuch.has(owner))) size = SMALL_PAGE
    let page = await readFirst(owner, { after, limit: size }, readPage)
    let isWhole = addPage(part, page, after, MAX_RESPONSE_CHARACTERS, limit)
    if (part.characters > LARGE_CHARACTERS) noteLarge(owner)
    while (isWhole && page.length === size) {
      const room = MAX_RESPONSE_CHARACTERS - part.characters
      size = Math.min(nextSize(part, room), limit + 1 - part.plants.length)
      page = await readPage({ after: part.ids.at(-1), limit: size })
      isWhole = addPage(part, page, after, MAX_RESPONSE_CHARACTERS, limit)
    }
    let hasMore = !isWhole
    let json = toJson(part.plants)
    // Escapes make the JSON of a character up to six times as long.
    while (json.length > MAX_RESPONSE_CHARACTERS && part.plants.length > 1) {
      const fitting = Math.floor((part.plants.length * MAX_RESPONSE_CHARACTERS) / json.length)
      part.plants.length = part.ids.length = Math.max(fitting, 1)
      json = toJson(part.plants)
      hasMore = true
    }
    if (!hasMore) return jsonReply(json)
    return jsonReply(json, { link: nextLink(limit, part.ids.at(-1)!) })
  }

  async function readFirst(owner: string, query: PageQuery, readPage: ReadPage) {
    if (query.limit <= SMALL_PAGE) return await readPage(query)
    readingMuch.add(owner)
    try {
      return await readPage(query)
    } finally {
      readingMuch.delete(owner)
    }
  }

  function noteLarge(owner: string): void {
    const now = performance.now()
    largeUntil.delete(owner)
    largeUntil.set(owner, now + LARGE_MS)
    // The oldest is first.
    for (const [one, until] of largeUntil) {
      if (until > now) return
      largeUntil.delete(one)
    }
  }

  /** Reads the first page before the status is sent, so that its failure is a clean 503. */
  async function listAll({ owner, after, readPage }: OwnersList): Promise<Reply> {
    const size = Math.min(SMALL_PAGE, maxPage)
    const page = await readPage({ after, limit: size })
    const part = createPart()
    const isAll = addPage(part, page, after, PART_CHARACTERS) && page.length < size
    if (part.characters > LARGE_CHARACTERS) noteLarge(owner)
    return jsonReply(isAll ? toJson(part.plants) : streamParts(readPage, part))
  }

  /**
   * Streams the plants as one JSON array, a page a part. Plants of a page that don't fit its part are read again: a client
   * that doesn't read would keep them in memory. Not a generator: while its caller waits for such a client, V8 would keep
   * the page in the generator's registers.
   */
  function streamParts(readPage: ReadPage, first: PlantsPart): AsyncIterable<string> {
    let after: bigint | undefined
    let size = nextSize(first, PART_CHARACTERS)
    let unsent: PlantsPart | undefined = first
    let isOver = false

    async function next(): Promise<IteratorResult<string>> {
      if (isOver) return { done: true, value: undefined }
      const isFirst = unsent !== undefined
      const part = unsent ?? (await nextPart())
      unsent = undefined
      after = part.ids.at(-1) ?? after
      return { done: false, value: toJson(part.plants, isFirst, isOver) }
    }

    async function nextPart(): Promise<PlantsPart> {
      const page = await readPage({ after, limit: size })
      const part = createPart()
      isOver = addPage(part, page, after, PART_CHARACTERS) && page.length < size
      if (!isOver) size = nextSize(part, PART_CHARACTERS)
      return part
    }
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }

  /** The size of the page after a part: as many plants of the part's average size as there is room for. */
  function nextSize({ plants, characters }: PlantsPart, room: number): number {
    const fitting = Math.floor((room * plants.length) / characters)
    return Math.min(Math.max(fitting, 1), MAX_GROWTH * plants.length, maxPage)
  }
}

/** The plants that go into one string. */
type PlantsPart = ReturnType<typeof createPart>

/** Creates an empty part. `characters` is the approximate length of its JSON, without the escapes. */
function createPart() {
  return { plants: [] as Plant[], ids: [] as bigint[], characters: 0 }
}

/**
 * Adds the plants of a page to a part, and checks them on the way: each plant is read once. Stops before a plant with
 * which the part would be longer than `maxCharacters`, unless it is the first one, or would have more than `maxPlants`.
 *
 * @param after ids must be greater
 * @returns whether the whole page was added
 */
function addPage(
  part: PlantsPart,
  page: readonly StoredPlant[],
  after: bigint | undefined,
  maxCharacters: number,
  maxPlants = Number.MAX_SAFE_INTEGER,
): boolean {
  const { plants, ids } = part
  let last = ids.at(-1) ?? after ?? INT64_MIN - 1n
  // Not forEach(), which skips what a sparse array lacks.
  for (const plant of page) {
    const { id, name, tag } = Object(plant) as StoredPlant & { tag?: string | null }
    if (typeof id !== 'bigint') throw wrongPage('plants with a bigint id', kindOf(id))
    if (typeof name !== 'string') throw wrongPage('plants with a name', kindOf(name))
    // SQL keeps null for a plant without a tag.
    if (tag !== undefined && tag !== null && typeof tag !== 'string') {
      throw wrongPage('plants with a string as tag, or undefined', kindOf(tag))
    }
    if (id <= last) throw wrongPage(`ascending ids greater than ${last}`, `${id}`)
    if (id > INT64_MAX) throw wrongPage('ids that are int64', `${id}`)
    if (plants.length === maxPlants) return false
    const characters = part.characters + PLANT_JSON_OVERHEAD + name.length + (tag?.length ?? 0)
    if (characters > maxCharacters && plants.length > 0) return false
    part.characters = characters
    last = id
    ids.push(id)
    plants.push({ name, tag: tag ?? undefined })
  }
  return true
}

/** A part of a JSON array that is sent in parts; of the whole array by default. */
function toJson(plants: readonly Plant[], isFirst = true, isLast = true): string {
  // Not ',' + JSON: a concatenated string is copied once more before it is sent.
  const json = JSON.stringify(isFirst ? plants : ['', ...plants])
  return json.slice(isFirst ? 0 : '[""'.length, isLast ? undefined : -1)
}

/** Parses the query of a list, or throws a 400 Failure. */
function parseListQuery(query: string, maxLimit: number | undefined) {
  const parameters = new URLSearchParams(query)
  const limit = parseLimit(readSingle(parameters, 'limit', 'invalid_limit'))
  const after = parseCursor(readSingle(parameters, 'cursor', 'invalid_cursor'))
  if (maxLimit === undefined) return { limit, after }
  return { limit: Math.min(limit ?? maxLimit, maxLimit), after }
}

function readSingle(parameters: URLSearchParams, name: string, failure: ErrorName) {
  const [value, ...more] = parameters.getAll(name)
  if (more.length > 0) throw new Failure(failure)
  return value
}

function parseLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = Number(text)
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text) || limit > MAX_INT32) throw new Failure('invalid_limit')
  return limit
}

/** Parses a cursor: the last id of the page before, as 16 hexadecimal digits in two's complement. */
function parseCursor(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[\da-f]{16}$/.test(text)) throw new Failure('invalid_cursor')
  return BigInt.asIntN(64, BigInt(`0x${text}`))
}

/** Creates the cursor of the page after an id. */
export function formatCursor(after: bigint): string {
  return BigInt.asUintN(64, after).toString(16).padStart(16, '0')
}

/**
 * The Link header to the page after an id (RFC 8288). A query-only reference (RFC 3986, section 4.2) is right under every
 * mount path and behind every proxy.
 */
function nextLink(limit: number, after: bigint): string {
  return `<?limit=${limit}&cursor=${formatCursor(after)}>; rel="next"`
}

// Saved here, since fake timers of an app's tests replace the global ones, and a list would hang.
const { setImmediate, setTimeout } = globalThis

/** Deno hardly reads its sockets while setImmediate() calls follow each other, so a timer runs this often, in ms. */
const MAX_IMMEDIATE_MS = isDeno ? 10 : Number.POSITIVE_INFINITY

/**
 * Creates the function that waits until a page may be read: one of all lists in each turn of the event loop, so that short
 * requests come first. Owners take turns. It rejects when the client has disconnected meanwhile.
 */
function createPageTurns() {
  const slots = createSlots(1)
  let timerAt = 0

  async function nextLoopTurn(): Promise<void> {
    const isTimerDue = performance.now() - timerAt >= MAX_IMMEDIATE_MS
    const schedule = isTimerDue ? setTimeout : setImmediate
    // Workers may lack setImmediate, and in the Edge runtime of Next.js it throws. Their storages answer over the network.
    await new Promise<void>((resolve) => schedule(resolve)).catch(() => {})
    if (isTimerDue) timerAt = performance.now()
  }

  return async (owner: string, request: IncomingRequest): Promise<void> => {
    if (!slots.take(owner)) await slots.wait(owner, () => {}, false)
    await nextLoopTurn()
    slots.release(owner)
    assertConnected(request)
  }
}
