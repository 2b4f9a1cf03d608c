import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAdaptiveLimit } from '../../../src/overload/call-limit.ts'

beforeEach(() => void vi.useFakeTimers().advanceTimersByTime(10_000))
afterEach(() => vi.useRealTimers())

function setUp() {
  const limit = createAdaptiveLimit()
  /** Learns from calls that have just ended. */
  function end(count: number, ms: number, details: object = {}): void {
    const call = { ms, inFlight: limit.current, hasFailed: false, isAwaited: true, ...details }
    for (let i = 0; i < count; i++) limit.learn(call)
  }
  /** Calls that begin now, and others wait for. Returns the limit after them. */
  function awaited(count: number, ms: number, details: object = {}): number {
    vi.advanceTimersByTime(ms)
    end(count, ms, details)
    return limit.current
  }
  /** Calls of a storage that is idle. */
  const idle = (count: number, ms: number) => awaited(count, ms, { inFlight: 4, isAwaited: false })
  /** Calls that show contention: twice as many take twice as long. The limit is 80, and 48 of them take 300 ms. */
  function contend(): void {
    awaited(16, 50)
    awaited(20, 50)
    awaited(40, 500)
  }
  return { limit, end, awaited, idle, contend }
}

describe('The limit', () => {
  it('grows with each generation of calls that are as fast with more of them', () => {
    const { awaited } = setUp()
    expect([15, 1, 19, 1, 39, 1].map((count) => awaited(count, 50))).toEqual([
      ...[10, 20, 20, 40, 40, 80],
    ])
  })

  it('grows where most of a generation take much longer than the quickest quarter', () => {
    const { limit, end, awaited } = setUp()
    awaited(16, 50)
    awaited(14, 500)
    end(6, 50)
    expect([limit.isContended, limit.current]).toEqual([false, 40])
  })

  it('is adjusted after 16 calls where a generation takes more than 600 ms', () => {
    const { awaited } = setUp()
    awaited(16, 50)
    awaited(20, 50)
    expect([awaited(15, 650), awaited(1, 650)]).toEqual([40, 18])
  })

  it.each([
    ['nobody waits for', { isAwaited: false }, 10],
    ['began with less than 70 % of it in progress', { inFlight: 6 }, 10],
    ['began with 70 % of it in progress', { inFlight: 7 }, 20],
    ['failed soon', { hasFailed: true }, 10],
  ])('of 16 calls that %s is learnt, or not', (_, details, expected) => {
    expect(setUp().awaited(16, 50, details)).toBe(expected)
  })

  it('learns from calls that failed after the target duration', () => {
    const failed = { hasFailed: true }
    expect(setUp().awaited(16, 299, failed)).toBe(10)
    expect(setUp().awaited(16, 300, failed)).toBe(20)
  })

  it('learns nothing from calls that began with the limit of before, unless there is contention', () => {
    const { limit, end, awaited, contend } = setUp()
    awaited(16, 50)
    end(100, 51)
    expect(limit.current).toBe(20)
    contend()
    const before = limit.current
    end(before, 600)
    expect(limit.current).toBe(Math.round(before / 2))
  })

  it('under contention is the number of calls that are done in 300 ms, at most twice that of before', () => {
    const { limit, awaited, contend } = setUp()
    contend()
    expect([limit.isContended, limit.current]).toEqual([true, 24])
    expect(awaited(24, 100)).toBe(48)
    expect(awaited(48, 200)).toBe(72)
    expect(awaited(72, 30_000)).toBe(4)
  })

  it('that has stood still four times is raised by a quarter, and compared with new calls only', () => {
    const { limit, end, awaited, contend } = setUp()
    contend()
    expect([1, 2, 3, 4].map(() => awaited(24, 300))).toEqual([24, 24, 24, 31])
    end(100, 301)
    expect(limit.current).toBe(31)
    expect(awaited(31, 300 * (31 / 24))).toBe(24)
    expect([1, 2, 3, 4].map(() => awaited(24, 300))).toEqual([24, 24, 24, 31])
  })
})

describe('A call may hang', () => {
  it('after 600 ms, or three times the idle duration of the last 32 calls', () => {
    const { limit, idle } = setUp()
    expect(limit.maxHoldMs).toBe(600)
    idle(32, 1000)
    expect(limit.maxHoldMs).toBe(3000)
    idle(31, 200)
    expect(limit.maxHoldMs).toBeCloseTo((3 * (1000 + 31 * 200)) / 32)
    idle(1, 200)
    expect(limit.maxHoldMs).toBe(600)
  })

  it('whatever calls take that fail, or that others run beside', () => {
    const { limit, awaited } = setUp()
    for (const details of [{ inFlight: 5 }, { inFlight: 1, hasFailed: true }]) {
      awaited(32, 1000, { isAwaited: false, ...details })
    }
    expect(limit.maxHoldMs).toBe(600)
  })

  it('after three times the duration of the last 32 calls that were no slower for being more', () => {
    const { limit, end, awaited } = setUp()
    awaited(16, 400)
    awaited(20, 400)
    awaited(8, 900)
    end(32, 400)
    expect(limit.maxHoldMs).toBe(1200)
  })

  it('under contention after ten times the target, which is 1.3 times the idle duration', () => {
    const { limit, awaited, idle, contend } = setUp()
    contend()
    expect(limit.maxHoldMs).toBe(3000)
    idle(32, 1000)
    expect(limit.maxHoldMs).toBe(13_000)
    // Those calls were not idle then, but waited for others.
    awaited(limit.current, 300)
    expect(limit.maxHoldMs).toBeCloseTo(3900)
  })
})
