import { atOnce } from './at-once.ts'
import { newOwner } from './new-owner.ts'
import { plantOf, type StorageUnderTest } from './storage-under-test.ts'
import { assertKept } from './violation.ts'

const LONG_PAGE = 10_000
const FEW = 1000
const BLOCK = 250
/** A storage that is quick gets as many plants and owners as fit this time, up to these numbers. */
const QUICK_MS = 300
const QUICK_PLANTS = 12_000
const MIN_OWNERS = 300
const QUICK_OWNERS = 3000
const MAX_DELETED = 5000
const MIN_PLANTS_TO_COMPARE_TIMES = 100_000

// Far more than noise and the cost of a deeper tree, far less than the cost of scanning all plants.
const MUCH_SLOWER = 20
const NOISE_MS = 5

const KINDS = ['create', 'list', 'delete'] as const

/**
 * Creates plants in scattered order, then tests reads, duplicates and deletes at every boundary.
 *
 * @param minimum the number of plants. With `isMinimum`, a quick storage gets more
 */
export async function checkManyPlants(
  storage: StorageUnderTest,
  minimum: number,
  isMinimum: boolean,
): Promise<void> {
  const alice = newOwner()
  const idAt = (index: number) => BigInt(index) * 3n
  const plantAt = (index: number) => ({ ...plantOf(idAt(index)), tag: `${idAt(index)}` })
  const create = (index: number) => storage.mustCreate(alice, plantAt(index))

  await atOnce(scattered(0, Math.min(FEW, minimum)), create)
  const timesWithFew = await measureCalls(storage, alice, 0n)
  await atOnce(scattered(FEW, minimum), create)
  const count = isMinimum ? await whileQuick(minimum, QUICK_PLANTS, create) : minimum

  const plants = Array.from({ length: count }, (_, index) => plantAt(index))
  await storage.reopen()
  for (let start = 0; start < count; start += LONG_PAGE) await mustListFrom(start, LONG_PAGE)
  for (const limit of [1, 100, 128, 256, 512, 1000]) {
    for (const start of [0, 1, count - limit]) await mustListFrom(Math.max(0, start), limit)
  }
  for (const limit of [2, 50, 99, 101, 127, 129, 200, 255, 257, 500, 501, 511, 513, 999, 1001]) {
    await mustListFrom(limit % 100, limit)
  }
  await storage.mustNotCreate(alice, plants.at(-1)!)
  if (count >= MIN_PLANTS_TO_COMPARE_TIMES) {
    // In the middle, since a storage may scan the plants from either end.
    compareTimes(timesWithFew, await measureCalls(storage, alice, idAt(count >> 1)))
  }
  const last = plants.slice(-MAX_DELETED)
  const odd = last.filter((_, index) => index % 2 === 1)
  const even = last.filter((_, index) => index % 2 === 0)
  await atOnce(odd, ({ id }) => storage.mustDelete(alice, id))
  const rest = { after: last[0]!.id - 1n, limit: last.length }
  await storage.mustList(alice, rest, even)
  await storage.reopen()
  await storage.mustList(alice, rest, even)

  /** Lists a page that begins with the plant at this position. */
  function mustListFrom(start: number, limit: number): Promise<void> {
    const query = { after: start === 0 ? undefined : idAt(start - 1), limit }
    return storage.mustList(alice, query, plants.slice(start, start + limit))
  }
}

/** Gives each of many owners a plant with the same id. */
export async function checkManyOwners(storage: StorageUnderTest): Promise<void> {
  const owners = Array.from({ length: QUICK_OWNERS }, () => newOwner('one-of-many'))
  const create = (index: number) => storage.mustCreate(owners[index]!, plantOf(1n))
  await atOnce(scattered(0, MIN_OWNERS), create)
  const count = await whileQuick(MIN_OWNERS, QUICK_OWNERS, create)
  await storage.reopen()
  await atOnce(owners.slice(0, count), (owner) => storage.mustListAll(owner, plantOf(1n)))
}

/** Goes on from `start` in blocks, to `max` at most, and returns where it has ended. */
async function whileQuick(
  start: number,
  max: number,
  call: (index: number) => Promise<void>,
): Promise<number> {
  const end = performance.now() + QUICK_MS
  let done = start
  while (done < max && performance.now() < end) {
    const next = Math.min(max, done + BLOCK)
    await atOnce(scattered(done, next), call)
    done = next
  }
  return done
}

/** The numbers from `start` to `end`, each five of them apart. */
function scattered(start: number, end: number): number[] {
  const all = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
  return [3, 1, 4, 0, 2].flatMap((rest) => all.filter((_, at) => at % 5 === rest))
}

type Times = Record<(typeof KINDS)[number], number>

/** Measures the shortest of 15 calls of each kind, in front of this id. */
async function measureCalls(
  storage: StorageUnderTest,
  owner: string,
  before: bigint,
): Promise<Times> {
  const id = before - 1n
  const calls = {
    create: () => storage.mustCreate(owner, plantOf(id)),
    list: () => storage.list(owner, { after: id - 1n, limit: 100 }),
    delete: () => storage.mustDelete(owner, id),
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
