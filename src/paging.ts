import { Failure } from './failure.ts'
import { parseInt64 } from './int64.ts'
import type { Plant, StoredPlant } from './plant.ts'
import type { PlantStorage } from './plant-storage.ts'
import type { Reply } from './reply.ts'

/** How many plants are asked of the storage, and held in memory, at a time. */
const PAGE_SIZE = 500
const MAX_LIMIT = 2n ** 31n - 1n

/** What part of a list is asked for: at most `limit` plants (no limit: all) with id > `after`. */
export interface Page {
  limit?: number
  after?: bigint
}

/** Reads the query of a list, or throws the Failure that says what is wrong with it. */
export function readPage(query: string, maxLimit?: number): Page {
  const parameters = new URLSearchParams(query)
  const limit = readLimit(parameters.getAll('limit')) ?? maxLimit
  return {
    limit: limit === undefined || maxLimit === undefined ? limit : Math.min(limit, maxLimit),
    after: readCursor(parameters.getAll('cursor')),
  }
}

function readLimit([text, ...more]: string[]): number | undefined {
  if (text === undefined) return undefined
  const limit = parseInt64(text)
  if (limit === undefined || limit < 0n || limit > MAX_LIMIT || more.length > 0) {
    throw new Failure('invalid_limit')
  }
  return Number(limit)
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
export type ReadPlants = (page: Parameters<PlantStorage['list']>[1]) => Promise<StoredPlant[]>

/**
 * Answers a list. All that can fail before the status is sent does: the first page is read, and so is
 * whether there is a next one. What one read of the storage brings is sent as it is; longer lists
 * are streamed.
 */
export async function listReply(read: ReadPlants, { limit, after }: Page): Promise<Reply> {
  if (limit === 0) return reply('[]')

  if (limit !== undefined && limit <= PAGE_SIZE) {
    const plants = await read({ after, limit: limit + 1 })
    const page = plants.slice(0, limit)
    return reply(JSON.stringify(page.map(toPlant)), plants.length > limit ? link(limit, page) : {})
  }

  const first = await read({ after, limit: PAGE_SIZE })
  if (first.length < PAGE_SIZE) return reply(JSON.stringify(first.map(toPlant)))
  if (limit === undefined) return reply(stream(read, first))

  const { last, more } = await findEnd(read, first, limit)
  return reply(stream(read, first, { limit, last }), more ? link(limit, [last]) : {})
}

/**
 * Walks to the last of the first `limit` plants, since its cursor stands in a header, before the body.
 * What is read on the way is not kept: memory stays bounded whatever the limit.
 */
async function findEnd(read: ReadPlants, first: StoredPlant[], limit: number) {
  let last = first.at(-1)!
  let missing = limit - first.length
  while (missing > 0) {
    const size = Math.min(missing, PAGE_SIZE)
    const page = await read({ after: last.id, limit: size })
    last = page.at(-1) ?? last
    if (page.length < size) return { last, more: false }
    missing -= size
  }
  return { last, more: (await read({ after: last.id, limit: 1 })).length > 0 }
}

async function* stream(
  read: ReadPlants,
  first: StoredPlant[],
  end?: { limit: number; last: StoredPlant },
): AsyncGenerator<string> {
  let room = end?.limit ?? Number.POSITIVE_INFINITY
  let separator = '['
  for (let page = first; ; page = await read({ after: page.at(-1)!.id, limit: PAGE_SIZE })) {
    const plants = end ? page.filter(({ id }) => id <= end.last.id) : page
    room -= plants.length
    if (room < 0) throw new Error('So many plants were added meanwhile that limit is exceeded')
    if (plants.length > 0) yield separator + JSON.stringify(plants.map(toPlant)).slice(1, -1)
    if (plants.length < PAGE_SIZE) break
    separator = ','
  }
  yield ']'
}

/** The Plant of the wire: a StoredPlant without its id. */
export function toPlant({ name, tag }: StoredPlant): Plant {
  // null is what SQL keeps for a plant without tag.
  return { name, tag: tag ?? undefined }
}

function reply(body: Reply['body'], headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** A query alone is a relative reference (RFC 3986, section 4.2): right under every mount path and proxy. */
function link(limit: number, page: StoredPlant[]): Record<string, string> {
  return { link: `<?limit=${limit}&cursor=${writeCursor(page.at(-1)!.id)}>; rel="next"` }
}
