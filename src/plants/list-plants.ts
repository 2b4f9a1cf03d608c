import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { StoredPlant } from '../plant.ts'
import type { PageQuery } from '../plant-storage.ts'
import { jsonReply, type Reply } from '../reply.ts'
import { link, type Page } from './list-query.ts'
import { lengthOf, toBody, toParts } from './plants-json.ts'

/**
 * How many plants are asked of the storage, and held in memory, at a time. A plant may be as large as
 * a body, so this many times `maxBodyBytes` is what a list may take.
 */
const PAGE_SIZE = 100
/** About how many characters of JSON a list with `limit` may have to be kept until its end is known. */
const KEPT_LENGTH = 4 * 1024 * 1024

// As it is before an app's tests fake it: a list must not wait for their clock.
const { setImmediate } = globalThis

/** Reads a page of one owner's plants. */
export type ReadPlants = (query: PageQuery) => MaybePromise<readonly StoredPlant[]>

/**
 * Answers a list. All that can fail before the status is sent does: the first page is read, and so is
 * whether there is a next one. What one read of the storage brings is sent as it is; longer lists
 * are streamed.
 */
export function listReply(read: ReadPlants, { limit, after }: Page): MaybePromise<Reply> {
  if (limit === 0) return jsonReply('[]')
  if (limit === undefined)
    return andThen(read({ after, limit: PAGE_SIZE }), (first) => wholeList(read, first))
  if (limit > PAGE_SIZE) return longPage(read, limit, after)

  return andThen(read({ after, limit: limit + 1 }), (plants) => {
    if (plants.length <= limit) return jsonReply(toBody([plants]))
    const page = plants.slice(0, limit)
    return jsonReply(toBody([page]), link(limit, page.at(-1)!))
  })
}

function wholeList(read: ReadPlants, first: readonly StoredPlant[]): Reply {
  return jsonReply(first.length < PAGE_SIZE ? toBody([first]) : toParts(pagesFrom(read, first)))
}

/**
 * Walks to the last of the first `limit` plants before anything is sent, since its cursor stands in a
 * header. The pages read on the way are kept only while they are small, so that memory stays bounded
 * whatever the limit; then they are read again.
 */
async function longPage(read: ReadPlants, limit: number, after?: bigint): Promise<Reply> {
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
    if (keptLength > KEPT_LENGTH) kept = undefined
    kept?.push(page)
    if (page.length < size) break
    await turnOfTheLoop()
  }
  const more = missing === 0 && (await read({ after: last!.id, limit: 1 })).length > 0
  const plants = kept ? toBody(kept) : toParts(pagesUpTo(read, limit, after, last!))
  return jsonReply(plants, more ? link(limit, last!) : {})
}

async function* pagesFrom(
  read: ReadPlants,
  first: readonly StoredPlant[],
): AsyncGenerator<readonly StoredPlant[]> {
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
): AsyncGenerator<readonly StoredPlant[]> {
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
  if (setImmediate === undefined) return undefined
  return new Promise((resolve) => setImmediate(resolve))
}
