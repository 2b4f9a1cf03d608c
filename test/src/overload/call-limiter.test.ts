import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAdaptiveLimit, createFixedLimit } from '../../../src/overload/call-limit.ts'
import { createCallLimiter } from '../../../src/overload/call-limiter.ts'

// Not at 0, when nothing has ever been long ago.
beforeEach(() => void vi.useFakeTimers().advanceTimersByTime(10_000))
afterEach(() => vi.useRealTimers())

/** A storage that runs `pool` calls at once, each for `latency()` ms, behind a limiter. Calls that hang take no place. */
function createLoad(pool: number, latency: () => number, isHanging = () => false) {
  const run = createCallLimiter(createAdaptiveLimit(), 'storage')
  const results = { good: 0, late: 0, refused: 0, gone: 0 }
  const queue: (() => void)[] = []
  let running = 0

  function callStorage(): Promise<void> {
    if (isHanging()) return new Promise(() => {})
    return new Promise((resolve) => {
      const run = () =>
        setTimeout(() => {
          resolve()
          const next = queue.shift()
          next ? next() : running--
        }, latency())
      if (running === pool) queue.push(run)
      else {
        running++
        run()
      }
    })
  }

  /** @param patienceMs how long the client waits for the response */
  async function request(patienceMs: number, owner = 'alice'): Promise<string> {
    const client = new AbortController()
    setTimeout(() => client.abort(new Error('gone')), Math.min(patienceMs, 2 ** 30))
    const { signal } = client
    const result = await Promise.resolve(run(owner, { signal }, callStorage)).then(
      () => (signal.aborted ? 'late' : 'good'),
      (error) => (error.code === 'overloaded' ? 'refused' : 'gone'),
    )
    results[result as keyof typeof results]++
    return result
  }

  /** Sends requests on time, whether or not earlier ones have been answered. */
  async function offer(
    perSecond: number,
    seconds: number,
    owner = 'alice',
    patienceMs = 1000,
  ): Promise<typeof results> {
    const before = { ...results }
    for (let i = 0; i < seconds * 100; i++) {
      const count = Math.floor((perSecond * (i + 1)) / 100) - Math.floor((perSecond * i) / 100)
      for (let j = 0; j < count; j++) void request(patienceMs, owner)
      await vi.advanceTimersByTimeAsync(10)
    }
    for (const key of Object.keys(results) as (keyof typeof results)[]) {
      before[key] = results[key] - before[key]
    }
    return before
  }
  return { request, offer }
}

describe('an overloaded storage', () => {
  it.each([
    { capacity: 20, pool: 1, latency: () => 50 },
    { capacity: 20, pool: 10, latency: () => 500 },
    { capacity: 200, pool: 10, latency: () => 50 },
    { capacity: 200, pool: 10, latency: alternate([45, 5, 5, 5, 190]) },
    { capacity: 1000, pool: 10, latency: () => 10 },
    { capacity: 500, pool: 100, latency: () => 200 },
  ])(
    'does $capacity calls a second in time when more are offered after a calm time, and recovers',
    async (storage) => {
      const { capacity, pool, latency } = storage
      for (const factor of [2, 10]) {
        const { offer } = createLoad(pool, latency)
        await offer(0.9 * capacity, 5)
        await offer(capacity * factor, 3)
        const overloaded = await offer(capacity * factor, 3)
        expect(overloaded.good).toBeGreaterThan(0.9 * 3 * capacity)
        expect(overloaded.refused).toBeGreaterThan(0)
        await offer(capacity / 2, 2)
        const after = await offer(capacity / 2, 2)
        expect(after).toMatchObject({ late: 0, refused: 0, gone: 0 })
      }
    },
  )

  it.each([1, 20, 60])(
    'serves an owner beside another whose clients leave after %i ms',
    async (ms) => {
      const { offer, request } = createLoad(10, () => 50)
      const leaving = setInterval(() => {
        for (let i = 0; i < 20; i++) void request(ms, 'mallory')
      }, 10)
      await offer(90, 5)
      expect((await offer(90, 5)).good).toBeGreaterThan(0.9 * 5 * 90)
      clearInterval(leaving)
    },
  )

  it('serves those who came before it refused, and wait, beside those who come later', async () => {
    const { offer, request } = createLoad(10, () => 50)
    const first = Array.from({ length: 400 }, () => request(Number.POSITIVE_INFINITY))
    let served = 0
    for (const each of first) void each.then(() => served++)
    await offer(400, 3)
    const before = served
    const { good } = await offer(400, 1)
    expect(good - (served - before)).toBeGreaterThan(100)
    await offer(400, 10)
    expect(served).toBe(400)
  })

  it('serves every owner who asks for little, beside one who asks for too much', async () => {
    const { offer, request } = createLoad(10, () => 50)
    void offer(2000, 5, 'mallory')
    const few: Promise<string>[] = []
    for (let i = 0; i < 400; i++) {
      few.push(request(1000, `owner ${i}`))
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(await Promise.all(few)).toEqual(Array(400).fill('good'))
  })
})

it.each([
  { ms: 20, order: [0, 1, 2, 3, 4, 5, 6, 7] },
  // The first to begin after 250 ms of the oldest's wait is the newest.
  { ms: 100, order: [0, 1, 2, 7, 6, 5, 4, 3] },
])('calls of $ms ms, one at a time, begin in the order $order', async ({ ms, order }) => {
  const run = createCallLimiter(createFixedLimit(1), 'storage')
  const begun: number[] = []
  const calls = order.map((_, call) =>
    run('alice', undefined, () => {
      begun.push(call)
      return new Promise<void>((resolve) => setTimeout(resolve, ms))
    }),
  )
  await vi.advanceTimersByTimeAsync(1000)
  await Promise.all(calls)
  expect(begun).toEqual(order)
})

it.each([1, 50, 500])('an idle storage of %i ms a call takes a burst of 2000 calls', async (ms) => {
  const { request } = createLoad(10, () => ms)
  const requests = Array.from({ length: 2000 }, () => request(Number.POSITIVE_INFINITY))
  await vi.advanceTimersByTimeAsync(200 * ms + 1000)
  expect(await Promise.all(requests)).toEqual(Array(2000).fill('good'))
})

it.each([
  { pool: 50, ms: 500, clients: 60 },
  { pool: 100, ms: 1000, clients: 120 },
  { pool: 30, ms: 2000, clients: 40 },
])(
  'a storage of $pool calls at once, of $ms ms each, refuses nobody while its limit is learned',
  async ({ pool, ms, clients }) => {
    const { request } = createLoad(pool, () => ms)
    const results = new Set<string>()
    const end = performance.now() + 15_000
    async function client(): Promise<void> {
      while (performance.now() < end) results.add(await request(Number.POSITIVE_INFINITY))
    }
    const all = Promise.all(Array.from({ length: clients }, client))
    await vi.advanceTimersByTimeAsync(15_000 + 3 * ms)
    await all
    expect([...results]).toEqual(['good'])
  },
)

describe('a storage that takes any number of calls', () => {
  it.each([
    { rate: 150, calls: '2 of 5 take 1 s', latency: alternate([10, 10, 10, 1000, 1000]) },
    { rate: 150, calls: 'every other takes 700 ms', latency: alternate([10, 700]) },
    { rate: 150, calls: '1 of 10 takes 5 s', latency: alternate([...Array(9).fill(10), 5000]) },
    { rate: 100, calls: 'each takes 800 ms', latency: () => 800 },
    { rate: 30, calls: 'each takes 2 s', latency: () => 2000 },
  ])('refuses nobody, and soon keeps nobody waiting, where $calls', async (storage) => {
    const { rate, latency } = storage
    const { offer, request } = createLoad(Number.POSITIVE_INFINITY, latency)
    const calls: Promise<string>[] = []
    for (let i = 0; i < 15 * rate; i++) {
      calls.push(request(Number.POSITIVE_INFINITY, `owner ${i % 20}`))
      await vi.advanceTimersByTimeAsync(1000 / rate)
    }
    await vi.advanceTimersByTimeAsync(5000)
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['good']))
    const patienceMs = Math.max(...Array.from({ length: 10 }, latency)) + 100
    const { good, gone, late } = await offer(rate, 5, 'alice', patienceMs)
    expect(gone + late).toBe(0)
    expect(good).toBeGreaterThan(0)
  })

  it.each([
    [10, 800, 50],
    [10, 600, 100],
    [50, 500, 90],
  ])('refuses nobody when calls of %i ms take %i ms from now on', async (before, after, rate) => {
    let ms = before
    const { offer } = createLoad(Number.POSITIVE_INFINITY, () => ms)
    await offer(rate, 5)
    ms = after
    expect((await offer(rate, 8)).refused).toBe(0)
    expect(await offer(rate, 5)).toEqual({ good: 5 * rate, late: 0, refused: 0, gone: 0 })
  })
})

it('an overloaded storage serves again after a time in which all calls have hung for ever', async () => {
  let isHanging = false
  const { offer } = createLoad(
    10,
    () => 50,
    () => isHanging,
  )
  await offer(400, 5)
  await offer(20, 2)
  isHanging = true
  await offer(200, 5)
  isHanging = false
  await offer(20, 3)
  expect(await offer(20, 5)).toEqual({ good: 100, late: 0, refused: 0, gone: 0 })
})

it.each([
  { slow: 'its first calls', calls: 0 },
  { slow: 'some calls', calls: 40 },
])('a storage does 9 of 10 of what it can after $slow have taken 3 s', async ({ calls }) => {
  let call = 0
  const { offer, request } = createLoad(10, () =>
    call++ >= calls && call <= calls + 30 ? 3000 : 50,
  )
  if (calls > 0) await offer(20, 2)
  for (let i = 0; i < 30; i += 3) {
    for (let j = 0; j < 3; j++) void request(Number.POSITIVE_INFINITY)
    await vi.advanceTimersByTimeAsync(3000)
  }
  await offer(400, 3)
  expect((await offer(400, 3)).good).toBeGreaterThan(0.9 * 3 * 200)
})

function alternate(values: number[]): () => number {
  let i = 0
  return () => values[i++ % values.length]!
}

it('a call whose signal can’t be read rejects, and the others go on', async () => {
  const run = createCallLimiter(createFixedLimit(1), 'storage')
  const slow = () => new Promise<string>((resolve) => setTimeout(resolve, 100, 'done'))
  const first = run('alice', undefined, slow)
  const origin = {
    get signal(): AbortSignal {
      throw new TypeError('Invalid URL')
    },
  }
  const broken = expect(run('alice', origin, slow)).rejects.toThrow('Invalid URL')
  const last = run('alice', undefined, slow)
  await vi.advanceTimersByTimeAsync(1000)
  await broken
  expect(await Promise.all([first, last])).toEqual(['done', 'done'])
})

it.each([5, 100, 1000])(
  'calls of %i ms go on beside calls that hang, of as many owners as there are slots',
  async (ms) => {
    const run = createCallLimiter(createAdaptiveLimit(), 'storage')
    const call = (owner: string, isHanging = false) =>
      run(owner, undefined, () => new Promise<void>((done) => isHanging || setTimeout(done, ms)))
    let done = 0
    for (let i = 0; i < 4; i++) void Promise.resolve(call('alice')).then(() => done++)
    await vi.advanceTimersByTimeAsync(ms)
    for (let i = 0; i < 10; i++) void call(`owner ${i}`, true)
    for (let i = 0; i < 10; i++) void Promise.resolve(call('alice')).then(() => done++)
    await vi.advanceTimersByTimeAsync(Math.max(600, 3 * ms) + 100 + 3 * ms)
    expect(done).toBe(14)
    void Promise.resolve(call('bob')).then(() => done++)
    await vi.advanceTimersByTimeAsync(ms)
    expect(done).toBe(15)
  },
)

it('a call that has waited and returns a value makes room for the next', async () => {
  const run = createCallLimiter(createFixedLimit(1), 'storage')
  const slow = () => new Promise<number>((resolve) => setTimeout(resolve, 100, 6))
  const results = [slow, () => 7, async () => 8].map((call) =>
    run<number>('alice', undefined, call),
  )
  await vi.advanceTimersByTimeAsync(1000)
  expect(await Promise.all(results)).toEqual([6, 7, 8])
})
