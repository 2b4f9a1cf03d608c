import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { slowStorage } from '../../overload/slow-storage.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** A queue of a module that is loaded now, since it looks at its runtime once. */
async function createPageQueue(...limit: [number?]) {
  const module = await import('../../../src/overload/page-queue.ts')
  return module.createPageQueue(...limit)
}

describe('The queue of later pages', () => {
  it.each([
    ['lacks setImmediate, as Workers may', undefined],
    [
      'has a setImmediate that throws, as the Edge runtime of Next.js does',
      () => {
        throw new Error('A Node.js API is used which is not supported in the Edge Runtime')
      },
    ],
  ])('come where the runtime %s', async (_, setImmediate) => {
    vi.stubGlobal('setImmediate', setImmediate)
    const readInTurn = await createPageQueue()
    const pages = Array.from({ length: 10 }, (_, page) =>
      readInTurn('alice', undefined, () => page),
    )
    expect(await Promise.all(pages)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('let Deno read its sockets every 10 ms, by a timer', async () => {
    const { setTimeout } = globalThis
    const timers = vi.fn<typeof setTimeout>(setTimeout)
    vi.stubGlobal('Deno', {})
    vi.stubGlobal('setTimeout', timers)
    const readInTurn = await createPageQueue()
    const startedAt = performance.now()
    for (let page = 0; page < 100; page++) await readInTurn('alice', undefined, () => busyFor(1))
    const elapsed = performance.now() - startedAt
    expect(timers.mock.calls.length).toBeGreaterThan(5)
    expect(timers.mock.calls.length).toBeLessThan(elapsed / 10 + 2)
  })

  it('take no timer elsewhere, since one takes a millisecond', async () => {
    const timers = vi.fn()
    vi.stubGlobal('setTimeout', timers)
    const readInTurn = await createPageQueue()
    await Promise.all(
      Array.from({ length: 10 }, () => readInTurn('alice', undefined, () => busyFor(2))),
    )
    expect(timers.mock.calls.filter(([, ms]) => ms === undefined)).toEqual([])
  })

  it.each([
    ['promises', undefined, 4],
    ['promises', 1, 4],
    ['promises', Number.POSITIVE_INFINITY, 20],
    ['values', undefined, 4],
    ['values', Number.POSITIVE_INFINITY, 20],
  ])(
    'of a storage that returns %s, with maxConcurrentCalls %s, are read for %i owners at a time',
    async (kind, max, expected) => {
      const readInTurn = await createPageQueue(max)
      // A storage is known by its first page.
      await readInTurn('owner', undefined, () => (kind === 'promises' ? Promise.resolve() : null))
      let begun = 0
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const hang = () => {
        begun++
        return ended
      }
      for (let owner = 0; owner < 20; owner++) void readInTurn(`owner ${owner}`, undefined, hang)
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(begun).toBe(expected)
      end()
    },
  )

  it('of a storage that returns values are read, however long they have waited', async () => {
    const readInTurn = await createPageQueue()
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    // A thenable that isn't a promise counts as a value.
    const hang = () => Object.defineProperty({}, 'then', { value: ended.then.bind(ended) })
    const read = (owner: number) => readInTurn(`owner ${owner}`, undefined, hang)
    const pages = [1, 2, 3, 4, 5].map(read)
    await vi.advanceTimersByTimeAsync(2100)
    pages.push(read(6))
    const all = Promise.allSettled(pages)
    await vi.advanceTimersByTimeAsync(1000)
    end()
    for (const { status } of await all) expect(status).toBe('fulfilled')
  })

  it.each([
    ['as many at a time as its pool has', 10, [8, 30]],
    ['many more at a time where all are as fast', 300, [50, 300]],
  ])('of a storage are read %s', async (_, pool, [least, most]) => {
    const readInTurn = await createPageQueue()
    // A busy machine would make all pages slow.
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const storage = slowStorage(pool, 20)
    // A storage that returns promises is known by its first page.
    await readInTurn('owner', undefined, async () => {})
    let reading = 0
    const inProgress: number[] = []
    const pages = Array.from({ length: 400 }, (_, i) =>
      readInTurn(`owner ${i}`, undefined, async () => {
        reading++
        await storage.list('alice', { limit: 100 })
        inProgress.push(reading--)
      }),
    )
    while (inProgress.length < pages.length) await vi.advanceTimersByTimeAsync(1)
    await Promise.all(pages)
    const median = inProgress.slice(200).sort((a, b) => a - b)[100]
    expect(median).toBeGreaterThanOrEqual(least!)
    expect(median).toBeLessThanOrEqual(most!)
  })

  it('go from owner to owner, however many lists each has', async () => {
    const readInTurn = await createPageQueue()
    const served: string[] = []
    const page = (owner: string) => readInTurn(owner, undefined, () => served.push(owner))
    const owners = [...Array(100).fill('alice'), 'bob', 'carol', 'bob']
    await Promise.all(owners.map(page))
    expect(served).toHaveLength(103)
    expect(served.lastIndexOf('bob')).toBeLessThan(12)
    served.length = 0
    await Promise.all([...Array(100).fill('dave'), ...Array(100).fill('erin')].map(page))
    const early = served.slice(0, 100).filter((owner) => owner === 'erin')
    expect(early.length).toBeGreaterThan(25)
  })
})

function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
