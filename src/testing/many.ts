import type { StoredPlant } from '../plant.ts'
import { pages } from './listing.ts'
import { settleAll } from './settle-all.ts'
import type { StorageUnderTest } from './storage-under-test.ts'
import { ContractViolation, difference, show } from './violation.ts'

const CONCURRENT_CALLS = 64
const PAGE = 500
const FEW = 1000
const MAX_DELETED = 5000
const MIN_PLANTS_TO_COMPARE_TIMES = 100_000

// Far more than noise and the cost of a deeper tree, far less than the cost of scanning all plants.
const MUCH_SLOWER = 20
const NOISE_MS = 5

/** Creates `count` plants in scattered order, then tests reads, duplicates and deletes at every boundary. */
export async function checkManyPlants(storage: StorageUnderTest, count: number): Promise<void> {
  const first = Math.min(count, FEW)
  await createAll(storage, 0, first, count)
  const timesWithFew = await measureCalls(storage, 0, count)
  await createAll(storage, first, count, count)

  await readAll(storage, count)
  await readAtBoundaries(storage, count)
  await refuseDuplicates(storage, count)
  if (count >= MIN_PLANTS_TO_COMPARE_TIMES) {
    for (const at of [0, count >> 1, count - 200])
      compareTimes(timesWithFew, await measureCalls(storage, at, count))
  }
  await deleteLast(storage, Math.min(count, MAX_DELETED), count)
}

/** Makes the plant at this position of the list. Ids lie on both sides of 0, with gaps. */
function plantAt(position: number, count: number): StoredPlant {
  const id = BigInt(position - (count >> 1)) * 3n
  return id % 2n === 0n ? { id, name: `plant ${id}` } : { id, name: `plant ${id}`, tag: `${id}` }
}

async function createAll(
  storage: StorageUnderTest,
  from: number,
  to: number,
  count: number,
): Promise<void> {
  const step = coprimeWith(count)
  let next = from
  await settleAll(
    Array.from({ length: CONCURRENT_CALLS }, async () => {
      while (next < to) await storage.mustCreate('alice', plantAt((next++ * step) % count, count))
    }),
  )
}

/** Returns a step that visits every position once, in scattered order. */
function coprimeWith(count: number): number {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
  let step = Math.floor(count * 0.618) || 1
  while (gcd(step, count) !== 1) step++
  return step
}

async function readAll(storage: StorageUnderTest, count: number): Promise<void> {
  let position = 0
  for await (const page of pages(storage, 'alice', PAGE)) {
    expectPage(page, position, count)
    position += page.length
  }
  if (position === count) return
  throw new ContractViolation(
    `Reading in pages of ${PAGE} returned ${position} plants, expected ${count}`,
  )
}

async function readAtBoundaries(storage: StorageUnderTest, count: number): Promise<void> {
  const limits = [
    1, 99, 100, 101, 127, 128, 129, 255, 256, 257, 499, 501, 511, 512, 513, 999, 1000, 1001,
  ]
  if (count <= 10_000) limits.push(count - 1, count, count + 1)
  for (const limit of limits) {
    for (const start of [0, 1, Math.max(0, count - limit), Math.max(0, count - limit - 1)]) {
      const after = start === 0 ? undefined : plantAt(start - 1, count).id
      const page = await storage.list('alice', { after, limit })
      const expected = Math.min(limit, count - start)
      if (page.length !== expected) {
        throw new ContractViolation(
          `list("alice", ${show({ after, limit })}) returned ${page.length} plants, expected ${expected}`,
        )
      }
      expectPage(page, start, count)
    }
  }
}

async function refuseDuplicates(storage: StorageUnderTest, count: number): Promise<void> {
  for (const position of [0, 1, count >> 1, count - 2, count - 1]) {
    await storage.mustNotCreate('alice', { id: plantAt(position, count).id, name: 'Duplicate' })
  }
}

/** Deletes every second one of the last plants in scattered order, reads the rest, and deletes it. */
async function deleteLast(storage: StorageUnderTest, last: number, count: number): Promise<void> {
  const start = count - last
  const positions = Array.from({ length: last }, (_, index) => start + index)
  const odd = positions.filter((position) => position % 2 === 1)
  const even = positions.filter((position) => position % 2 === 0)
  await deleteAll(storage, odd, count)
  for (const position of [odd[0]!, odd.at(-1)!]) {
    await storage.mustNotDelete('alice', plantAt(position, count).id)
  }
  const after = plantAt(start, count).id - 1n
  await storage.mustList(
    'alice',
    { after, limit: last },
    even.map((position) => plantAt(position, count)),
  )

  await deleteAll(storage, even, count)
  await storage.mustList('alice', { after, limit: last }, [])
  await storage.mustCreate('alice', plantAt(start, count))
  await storage.mustList('alice', { after, limit: last }, [plantAt(start, count)])
}

async function deleteAll(
  storage: StorageUnderTest,
  positions: number[],
  count: number,
): Promise<void> {
  const step = coprimeWith(positions.length)
  let next = 0
  await settleAll(
    Array.from({ length: CONCURRENT_CALLS }, async () => {
      while (next < positions.length) {
        const position = positions[(next++ * step) % positions.length]!
        await storage.mustDelete('alice', plantAt(position, count).id)
      }
    }),
  )
}

function expectPage(page: readonly StoredPlant[], position: number, count: number): void {
  const expected = page.map((_, index) => plantAt(position + index, count))
  const problem = difference(page, expected)
  if (problem) throw new ContractViolation(`After ${position} plants, list returned ${problem}`)
}

type Times = Record<'create' | 'list' | 'delete', number>

async function measureCalls(
  storage: StorageUnderTest,
  position: number,
  count: number,
): Promise<Times> {
  const times: Record<keyof Times, number[]> = { create: [], list: [], delete: [] }
  const base = plantAt(position, count).id
  for (let round = 0; round < 15; round++) {
    const id = base + 1n
    await measure(times.create, () => storage.mustCreate('alice', { id, name: 'temporary' }))
    await measure(times.list, () => storage.list('alice', { after: base - 1n, limit: 100 }))
    await measure(times.delete, () => storage.mustDelete('alice', id))
  }
  return { create: median(times.create), list: median(times.list), delete: median(times.delete) }
}

async function measure(times: number[], run: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await run()
  times.push(performance.now() - start)
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}

function compareTimes(few: Times, times: Times): void {
  for (const kind of ['create', 'list', 'delete'] as const) {
    if (times[kind] <= few[kind] * MUCH_SLOWER + NOISE_MS) continue
    const [before, now] = [few[kind], times[kind]].map((ms) => ms.toFixed(2))
    throw new ContractViolation(
      `${kind} took ${before} ms with ${FEW} plants, but ${now} ms with all plants`,
    )
  }
}
