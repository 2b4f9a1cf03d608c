import type { StoredPlant } from '../plant.ts'
import { allOf } from './all-of.ts'
import { pages } from './listing.ts'
import type { Subject } from './subject.ts'
import { ContractViolation, difference, show } from './violation.ts'

const AT_ONCE = 64
const PAGE = 500
const FEW = 1000
const MOST_DELETED = 5000
const ENOUGH_TO_TELL_BY_TIME = 100_000

// Far beyond noise and what a deeper tree costs, far below what looking at every plant costs.
const MUCH_SLOWER = 20
const NOISE_MS = 5

/** Creates `count` plants in no order, and reads them as the core does. */
export async function holdsMany(storage: Subject, count: number): Promise<void> {
  const first = Math.min(count, FEW)
  await createAll(storage, 0, first, count)
  const fast = await timesOfCalls(storage, 0)
  await createAll(storage, first, count, count)

  await readAll(storage, count)
  await readAtBoundaries(storage, count)
  await refuseAnywhere(storage, count)
  if (count >= ENOUGH_TO_TELL_BY_TIME) {
    for (const at of [0, count >> 1, count - 200])
      compareTimes(fast, await timesOfCalls(storage, at))
  }
  await deleteLast(storage, Math.min(count, MOST_DELETED), count)
}

/** The plant at this position of the list. Ids lie on both sides of 0 with gaps between them. */
function plantAt(position: number, count: number): StoredPlant {
  const id = BigInt(position - (count >> 1)) * 3n
  return id % 2n === 0n ? { id, name: `plant ${id}` } : { id, name: `plant ${id}`, tag: `${id}` }
}

async function createAll(storage: Subject, from: number, to: number, count: number): Promise<void> {
  const step = coprimeWith(count)
  let next = from
  await allOf(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < to) await storage.creates('alice', plantAt((next++ * step) % count, count))
    }),
  )
}

/** A step that leads through all positions in what looks like no order. */
function coprimeWith(count: number): number {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))
  let step = Math.floor(count * 0.618) || 1
  while (gcd(step, count) !== 1) step++
  return step
}

async function readAll(storage: Subject, count: number): Promise<void> {
  let position = 0
  for await (const page of pages(storage, 'alice', PAGE)) {
    expectPage(page, position, count)
    position += page.length
  }
  if (position === count) return
  throw new ContractViolation(`Read in pages of ${PAGE}, ${count} plants were ${position}`)
}

async function readAtBoundaries(storage: Subject, count: number): Promise<void> {
  const limits = [
    1, 99, 100, 101, 127, 128, 129, 255, 256, 257, 499, 501, 511, 512, 513, 999, 1000, 1001,
  ]
  if (count <= 10_000) limits.push(count - 1, count, count + 1, 2 ** 31 - 1)
  for (const limit of limits) {
    for (const start of [0, 1, Math.max(0, count - limit), Math.max(0, count - limit - 1)]) {
      const after = start === 0 ? undefined : plantAt(start - 1, count).id
      const page = await storage.list('alice', { after, limit })
      const due = Math.min(limit, count - start)
      if (page.length !== due) {
        throw new ContractViolation(
          `list("alice", ${show({ after, limit })}) answered ${page.length} plants, not ${due}`,
        )
      }
      expectPage(page, start, count)
    }
  }
}

async function refuseAnywhere(storage: Subject, count: number): Promise<void> {
  for (const position of [0, 1, count >> 1, count - 2, count - 1]) {
    await storage.refuses('alice', { id: plantAt(position, count).id, name: 'Usurper' })
  }
}

/** Deletes, in no order, every second of the last plants, then reads those that are left, and deletes them. */
async function deleteLast(storage: Subject, last: number, count: number): Promise<void> {
  const start = count - last
  const positions = Array.from({ length: last }, (_, index) => start + index)
  const gone = positions.filter((position) => position % 2 === 1)
  const kept = positions.filter((position) => position % 2 === 0)
  await deleteAll(storage, gone, count)
  for (const position of [gone[0]!, gone.at(-1)!]) {
    await storage.misses('alice', plantAt(position, count).id)
  }
  const after = plantAt(start, count).id - 1n
  await storage.lists(
    'alice',
    { after, limit: last },
    kept.map((position) => plantAt(position, count)),
  )

  await deleteAll(storage, kept, count)
  await storage.lists('alice', { after, limit: last }, [])
  await storage.creates('alice', plantAt(start, count))
  await storage.lists('alice', { after, limit: last }, [plantAt(start, count)])
}

async function deleteAll(storage: Subject, positions: number[], count: number): Promise<void> {
  const step = coprimeWith(positions.length)
  let next = 0
  await allOf(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < positions.length) {
        const position = positions[(next++ * step) % positions.length]!
        await storage.deletes('alice', plantAt(position, count).id)
      }
    }),
  )
}

function expectPage(page: readonly StoredPlant[], position: number, count: number): void {
  const due = page.map((_, index) => plantAt(position + index, count))
  const problem = difference(page, due)
  if (problem) throw new ContractViolation(`From position ${position} on, list answered ${problem}`)
}

type Times = Record<'create' | 'list' | 'delete', number>

async function timesOfCalls(storage: Subject, position: number): Promise<Times> {
  const times: Record<keyof Times, number[]> = { create: [], list: [], delete: [] }
  const page = await storage.list('alice', { limit: 1 })
  const base = page[0]!.id + BigInt(position) * 3n
  for (let round = 0; round < 15; round++) {
    const id = base + 1n
    await timed(times.create, () => storage.creates('alice', { id, name: 'passing' }))
    await timed(times.list, () => storage.list('alice', { after: base - 1n, limit: 100 }))
    await timed(times.delete, () => storage.deletes('alice', id))
  }
  return { create: median(times.create), list: median(times.list), delete: median(times.delete) }
}

async function timed(times: number[], run: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  await run()
  times.push(performance.now() - start)
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1]!
}

function compareTimes(fast: Times, times: Times): void {
  for (const kind of ['create', 'list', 'delete'] as const) {
    if (times[kind] <= fast[kind] * MUCH_SLOWER + NOISE_MS) continue
    const [before, now] = [fast[kind], times[kind]].map((ms) => ms.toFixed(2))
    throw new ContractViolation(
      `${kind} took ${before} ms among ${FEW} plants, and ${now} ms among all of them`,
    )
  }
}
