import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TimedCall } from '../../../src/lib/timed-call.ts'
import { createRunningCalls } from '../../../src/overload/running-calls.ts'
import type { StorageCall } from '../../../src/plant-storage.ts'

beforeEach(() => void vi.useFakeTimers().advanceTimersByTime(10_000))
afterEach(() => vi.useRealTimers())

/** Calls of one owner, whose slots are counted when they are given back. */
function setUp({ isContended = false, maxHoldMs = 1000, current = 10 } = {}) {
  const limit = { isContended, maxHoldMs, current, learn: vi.fn() }
  const release = vi.fn()
  const isAnyWaiting = vi.fn(() => false)
  const running = createRunningCalls(limit, { isAnyWaiting, release })
  /** Begins a call. Returns what ends it. */
  function hold(origin?: StorageCall) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    running.hold('alice', origin, promise).catch(() => {})
    return { resolve, reject }
  }
  /** The number of slots that are given back after so many ms more. */
  async function givenBackAfter(ms: number): Promise<number> {
    await vi.advanceTimersByTimeAsync(ms)
    release.mockClear()
    running.giveBackHanging(performance.now())
    return release.mock.calls.length
  }
  return { hold, limit, release, isAnyWaiting, givenBackAfter }
}

describe('A call in progress', () => {
  it('gives its slot back when it ends, however it does', async () => {
    const { hold, release } = setUp()
    hold().resolve()
    hold().reject(new Error('No rows'))
    await vi.advanceTimersByTimeAsync(0)
    expect(release.mock.calls).toEqual([['alice'], ['alice']])
  })

  it('gives its slot back after maxHoldMs, and not again when it ends', async () => {
    const { hold, release, givenBackAfter } = setUp()
    const call = hold()
    expect(await givenBackAfter(999)).toBe(0)
    expect(await givenBackAfter(1)).toBe(1)
    call.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(release).toHaveBeenCalledOnce()
  })

  it('is learnt from, with all that are in progress, even those that hang', async () => {
    const { hold, limit, isAnyWaiting, givenBackAfter } = setUp()
    hold()
    await givenBackAfter(1000)
    hold()
    const failing = hold()
    await vi.advanceTimersByTimeAsync(40)
    isAnyWaiting.mockReturnValue(true)
    failing.reject(new Error('No rows'))
    await vi.advanceTimersByTimeAsync(0)
    hold().resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(limit.learn.mock.calls).toEqual([
      [{ ms: 40, inFlight: 3, hasFailed: true, isAwaited: true }],
      [{ ms: 0, inFlight: 3, hasFailed: false, isAwaited: true }],
    ])
  })

  it('under contention keeps its slot while calls end that began before it', async () => {
    const { hold, givenBackAfter } = setUp({ isContended: true })
    const earlier = [hold(), hold(), hold()]
    await vi.advanceTimersByTimeAsync(1)
    hold()
    for (const { resolve } of earlier) {
      expect(await givenBackAfter(900)).toBe(0)
      resolve()
    }
    expect(await givenBackAfter(900)).toBe(0)
  })

  it('under contention gives its slot back when a call has ended that began after it', async () => {
    const { hold, givenBackAfter } = setUp({ isContended: true })
    const earliest = hold()
    await vi.advanceTimersByTimeAsync(1)
    hold()
    await vi.advanceTimersByTimeAsync(1)
    hold().resolve()
    await vi.advanceTimersByTimeAsync(990)
    earliest.resolve()
    expect(await givenBackAfter(8)).toBe(0)
    expect(await givenBackAfter(1)).toBe(1)
  })

  it('under contention gives its slot back when none has ended for maxHoldMs', async () => {
    const { hold, givenBackAfter } = setUp({ isContended: true })
    const earlier = hold()
    await vi.advanceTimersByTimeAsync(1)
    hold()
    await vi.advanceTimersByTimeAsync(500)
    earlier.resolve()
    expect(await givenBackAfter(999)).toBe(0)
    expect(await givenBackAfter(1)).toBe(1)
  })
})

describe('Calls that hang', () => {
  it.each([
    { current: 10, most: 100 },
    { current: 150, most: 150 },
  ])('are at most $most beside a limit of $current', async ({ current, most }) => {
    const { hold, givenBackAfter } = setUp({ current })
    const calls = Array.from({ length: 300 }, () => hold())
    expect(await givenBackAfter(1000)).toBe(most)
    expect(await givenBackAfter(1000)).toBe(0)
    for (const { resolve } of calls.slice(0, 7)) resolve()
    expect(await givenBackAfter(0)).toBe(7)
  })

  const aborted = (name: string) => ({ signal: AbortSignal.abort(new DOMException('', name)) })
  it.each<[string, () => StorageCall | undefined]>([
    ['has none', () => undefined],
    ['is missing', () => ({}) as StorageCall],
    ['has no reason', () => new TimedCall()],
    ['was aborted by its client', () => aborted('AbortError')],
    [
      'can’t be read',
      () => ({
        get signal(): AbortSignal {
          throw new TypeError('Invalid URL')
        },
      }),
    ],
  ])('are as many if their signal %s', async (_, origin) => {
    const { hold, givenBackAfter } = setUp()
    for (let i = 0; i < 300; i++) hold(origin())
    expect(await givenBackAfter(999)).toBe(0)
    expect(await givenBackAfter(1)).toBe(100)
  })

  function timedOut(): StorageCall {
    const call = new TimedCall()
    Promise.resolve(call.limit(new Promise(() => {}), 1)).catch(() => {})
    return call
  }
  it.each<[string, () => StorageCall]>([
    ['call', timedOut],
    ['signal', () => aborted('TimeoutError')],
  ])('are any number whose %s has timed out, after 600 ms', async (_, origin) => {
    const signals = vi.spyOn(TimedCall.prototype, 'signal', 'get')
    const { hold, limit, givenBackAfter } = setUp({ isContended: true, maxHoldMs: 5000 })
    for (let i = 0; i < 300; i++) hold(origin())
    expect(await givenBackAfter(599)).toBe(0)
    expect(await givenBackAfter(1)).toBe(300)
    hold().resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(limit.learn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ inFlight: 1 }))
    expect(signals).not.toHaveBeenCalled()
  })

  it('make room when they have timed out', async () => {
    const { hold, givenBackAfter } = setUp()
    const client = new AbortController()
    for (let i = 0; i < 7; i++) hold(client)
    for (let i = 0; i < 293; i++) hold()
    expect(await givenBackAfter(1000)).toBe(100)
    client.abort(new DOMException('', 'TimeoutError'))
    expect(await givenBackAfter(0)).toBe(7)
  })
})
