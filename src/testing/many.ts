import { settleAll } from './settle-all.ts'
import { plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept } from './violation.ts'

const CONCURRENT_CALLS = 64
const LONG_PAGE = 10_000
const FEW = 1000
const MAX_DELETED = 5000
const MIN_PLANTS_TO_COMPARE_TIMES = 100_000

// Far more than noise and the cost of a deeper tree, far less than the cost of scanning all plants.
const MUCH_SLOWER = 20
const NOISE_MS = 5

const KINDS = ['create', 'list', 'delete'] as const

/** Creates `count` plants in scattered order, then tests reads, duplicates and deletes at every boundary. */
export async function checkManyPlants(storage: StorageUnderTest, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => BigInt(index) * 3n)
  const plants = ids.map((id) => ({ ...plantOf(id), tag: `${id}` }))
  const scattered = [3, 1, 4, 0, 2].flatMap((rest) => plants.filter((_, at) => at % 5 === rest))

  await atOnce(scattered.slice(0, FEW), (plant) => storage.mustCreate('alice', plant))
  const timesWithFew = await measureCalls(storage, ids[0]!)
  await atOnce(scattered.slice(FEW), (plant) => storage.mustCreate('alice', plant))

  for (let start = 0; start < count; start += LONG_PAGE) await mustListFrom(start, LONG_PAGE)
  for (const limit of [1, 100, 128, 256, 512, 1000]) {
    for (const start of [0, 1, count - limit]) await mustListFrom(Math.max(0, start), limit)
  }
  await storage.mustNotCreate('alice', plants.at(-1)!)
  if (count >= MIN_PLANTS_TO_COMPARE_TIMES) {
    // In the middle, since a storage may scan the plants from either end.
    compareTimes(timesWithFew, await measureCalls(storage, ids[count >> 1]!))
  }
  const last = plants.slice(-MAX_DELETED)
  const odd = last.filter((_, index) => index % 2 === 1)
  const even = last.filter((_, index) => index % 2 === 0)
  await atOnce(odd, ({ id }) => storage.mustDelete('alice', id))
  await storage.mustList('alice', { after: last[0]!.id - 1n, limit: last.length }, even)

  /** Lists a page that begins with the plant at this position. */
  function mustListFrom(start: number, limit: number): Promise<void> {
    const query = { after: ids[start - 1], limit }
    return storage.mustList('alice', query, plants.slice(start, start + limit))
  }
}

/** Calls the storage for each item, with many calls at once. */
async function atOnce<T>(items: T[], call: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  await settleAll(
    Array.from({ length: CONCURRENT_CALLS }, async () => {
      for (const item of left) await call(item)
    }),
  )
}

type Times = Record<(typeof KINDS)[number], number>

/** Measures the shortest of 15 calls of each kind, in front of this id. */
async function measureCalls(storage: StorageUnderTest, before: bigint): Promise<Times> {
  const id = before - 1n
  const calls = {
    create: () => storage.mustCreate('alice', plantOf(id)),
    list: () => storage.list('alice', { after: id - 1n, limit: 100 }),
    delete: () => storage.mustDelete('alice', id),
  }
  const times: Times = { create: Infinity, list: Infinity, delete: Infinity }
  for (let round = 0; round < 15; round++) {
    for (const kind of KINDS) {
      const start = performance.now()
      await calls[kind]()
      times[kind] = Math.min(times[kind], performance.now() - start)
    }
  }
  return times
}

function compareTimes(few: Times, many: Times): void {
  for (const kind of KINDS) {
    const [before, now] = [few[kind].toFixed(2), many[kind].toFixed(2)]
    assertKept(
      many[kind] <= few[kind] * MUCH_SLOWER + NOISE_MS,
      `${kind} took ${before} ms with ${FEW} plants, but ${now} ms with all plants`,
    )
  }
}
