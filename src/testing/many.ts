import type { StoredPlant } from '../plant.ts'
import { settleAll } from './settle-all.ts'
import type { StorageUnderTest } from './storage-under-test.ts'
import { assertKept } from './violation.ts'

const CONCURRENT_CALLS = 64
const PAGE = 500
const FEW = 1000
const MAX_DELETED = 5000
const MIN_PLANTS_TO_COMPARE_TIMES = 100_000

// Far more than noise and the cost of a deeper tree, far less than the cost of scanning all plants.
const MUCH_SLOWER = 20
const NOISE_MS = 5

const KINDS = ['create', 'list', 'delete'] as const

/** Creates `count` plants in scattered order, then tests reads, duplicates and deletes at every boundary. */
export async function checkManyPlants(storage: StorageUnderTest, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => BigInt(index - (count >> 1)) * 3n)
  const plants = ids.map((id) => ({
    id,
    name: `plant ${id}`,
    ...(id % 2n !== 0n && { tag: `${id}` }),
  }))
  const scattered = scatter(plants)

  await atOnce(scattered.slice(0, FEW), (plant) => storage.mustCreate('alice', plant))
  const timesWithFew = await measureCalls(storage, ids[0]!)
  await atOnce(scattered.slice(FEW), (plant) => storage.mustCreate('alice', plant))

  for (let start = 0; start <= count; start += PAGE) await mustListFrom(start, PAGE)
  await readAtBoundaries()
  for (const position of [0, 1, count >> 1, -2, -1]) {
    await storage.mustNotCreate('alice', { id: ids.at(position)!, name: 'Duplicate' })
  }
  if (count >= MIN_PLANTS_TO_COMPARE_TIMES) {
    for (const position of [0, count >> 1, -200]) {
      compareTimes(timesWithFew, await measureCalls(storage, ids.at(position)!))
    }
  }
  await deleteLast(plants.slice(-MAX_DELETED))

  /** Lists a page that begins with the plant at this position. */
  function mustListFrom(start: number, limit: number): Promise<void> {
    const after = start === 0 ? undefined : ids[start - 1]
    return storage.mustList('alice', { after, limit }, plants.slice(start, start + limit))
  }

  async function readAtBoundaries(): Promise<void> {
    const limits = [
      1, 99, 100, 101, 127, 128, 129, 255, 256, 257, 499, 501, 511, 512, 513, 999, 1000, 1001,
    ]
    if (count <= 10_000) limits.push(count - 1, count, count + 1)
    for (const limit of limits) {
      for (const start of [0, 1, count - limit, count - limit - 1]) {
        await mustListFrom(Math.max(0, start), limit)
      }
    }
  }

  /** Deletes every second one of the last plants in scattered order, lists the rest, and deletes it. */
  async function deleteLast(last: StoredPlant[]): Promise<void> {
    const query = { after: last[0]!.id - 1n, limit: last.length }
    const odd = last.filter((_, index) => index % 2 === 1)
    const even = last.filter((_, index) => index % 2 === 0)
    await atOnce(scatter(odd), ({ id }) => storage.mustDelete('alice', id))
    for (const { id } of [odd[0]!, odd.at(-1)!]) await storage.mustNotDelete('alice', id)
    await storage.mustList('alice', query, even)
    await atOnce(scatter(even), ({ id }) => storage.mustDelete('alice', id))
    await storage.mustList('alice', query, [])
    await storage.mustCreate('alice', last[0]!)
    await storage.mustList('alice', query, [last[0]!])
  }
}

/** Returns the items in scattered order. */
function scatter<T>(items: readonly T[]): T[] {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
  let step = Math.floor(items.length * 0.618) || 1
  while (gcd(step, items.length) !== 1) step++
  return items.map((_, index) => items[(index * step) % items.length]!)
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

type Times = Record<(typeof KINDS)[number], number[]>

/** Measures calls in front of this id. */
async function measureCalls(storage: StorageUnderTest, before: bigint): Promise<Times> {
  const id = before - 1n
  const calls = {
    create: () => storage.mustCreate('alice', { id, name: 'temporary' }),
    list: () => storage.list('alice', { after: id - 1n, limit: 100 }),
    delete: () => storage.mustDelete('alice', id),
  }
  const times: Times = { create: [], list: [], delete: [] }
  for (let round = 0; round < 15; round++) {
    for (const kind of KINDS) {
      const start = performance.now()
      await calls[kind]()
      times[kind].push(performance.now() - start)
    }
  }
  return times
}

function compareTimes(few: Times, many: Times): void {
  for (const kind of KINDS) {
    const [before, now] = [median(few[kind]), median(many[kind])]
    const isFast = now <= before * MUCH_SLOWER + NOISE_MS
    const [fewMs, manyMs] = [before.toFixed(2), now.toFixed(2)]
    assertKept(
      isFast,
      `${kind} took ${fewMs} ms with ${FEW} plants, but ${manyMs} ms with all plants`,
    )
  }
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}
