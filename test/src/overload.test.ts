import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromRequest } from '../../src/adapter.ts'
import {
  limitCalls,
  type PlantStorage,
  type PlantStoreOptions,
  type ResponseEvent,
  withOverloadProtection,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { mounted, request } from './mounted.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Makes calls that end one after another, when `settle` is called. */
function createPendingCalls() {
  const pending: (() => void)[] = []
  return {
    call: <T>(result: T) => new Promise<T>((resolve) => pending.push(() => resolve(result))),
    pending,
    /** Ends the first call, and waits until the next one has begun. */
    async settle() {
      pending.shift()!()
      await vi.advanceTimersByTimeAsync(0)
    },
  }
}

/** A store whose storage has one call in progress, and for more than two seconds two others that wait for it. */
async function overloadedStore(options: PlantStoreOptions = {}) {
  const { call, pending, settle } = createPendingCalls()
  const storage: PlantStorage = { ...memoryStorage(), delete: () => call(true) }
  const { fetch } = mounted({ maxConcurrentCalls: 1, ...options }, storage)
  const remove = (init: RequestInit = {}) =>
    fetch(request('/plants/7', { method: 'DELETE', ...init }))
  const responses = [remove(), remove(), remove()]
  await vi.advanceTimersByTimeAsync(2100)
  return { remove, pending, settle, responses }
}

describe('an overloaded storage', () => {
  it('is not called, and the client gets 503 overloaded soon', async () => {
    const events: ResponseEvent[] = []
    const errors: unknown[] = []
    const { remove, pending, settle, responses } = await overloadedStore({
      onResponse: (event) => void events.push(event),
      onError: (error) => void errors.push(error),
    })
    const refused = remove()
    await vi.advanceTimersByTimeAsync(600)
    const response = await refused
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ error: 50304 })
    expect(events).toMatchObject([{ status: 503, error: 'overloaded', owner: 'alice' }])
    expect(errors).toMatchObject([{ code: 'overloaded' }])
    expect(pending).toHaveLength(1)

    for (const _ of responses) await settle()
    for (const response of responses) expect((await response).status).toBe(204)
  })

  it('is not called for clients that have left, then for the next one, and keeps no timer', async () => {
    const { remove, pending, settle } = await overloadedStore()
    const before = remove({ signal: AbortSignal.abort() }).catch(() => 'left')
    await vi.advanceTimersByTimeAsync(1000)
    expect(await before).toBe('left')
    void remove()
    await vi.advanceTimersByTimeAsync(0)
    for (let i = 0; i < 3; i++) await settle()
    // The first call is found in its turn, and the second in the queue.
    for (const ms of [0, 100]) {
      const client = new AbortController()
      // A 499 is not in the document, which `mounted` checks.
      const left = remove({ signal: client.signal }).catch(() => 'left')
      client.abort()
      await vi.advanceTimersByTimeAsync(ms)
      await settle()
      expect(pending).toHaveLength(0)
      expect(await left).toBe('left')
      void remove()
      await vi.advanceTimersByTimeAsync(0)
      expect(pending).toHaveLength(1)
    }
    await settle()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is called within timeoutMs, which includes the wait, and again when a call has timed out', async () => {
    const onError = vi.fn()
    const options = { timeoutMs: 3000, onError }
    const { remove, pending, settle, responses } = await overloadedStore(options)
    await settle()
    await vi.advanceTimersByTimeAsync(1000)
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(statuses).toEqual([204, 503, 503])
    const message = 'TimeoutError: No result within 3000 ms'
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual([message, message])
    expect(pending).toHaveLength(1)
    void remove()
    await vi.advanceTimersByTimeAsync(0)
    expect(pending).toHaveLength(2)
  })
})

it('an overloaded storage refuses no owner who has one call, for those of others', async () => {
  const storage = {
    ...memoryStorage(),
    delete: () => new Promise<boolean>((resolve) => setTimeout(resolve, 500, true)),
  }
  const { fetch } = mounted({ maxConcurrentCalls: 1 }, storage, (owner: string) => ({ owner }))
  const remove = (owner: string) =>
    fetch(request('/plants/7', { method: 'DELETE', ...bearer(owner) }))
  const flood = setInterval(() => void remove('mallory'), 50)
  await vi.advanceTimersByTimeAsync(5000)
  for (let i = 0; i < 5; i++) {
    const response = remove('alice')
    await vi.advanceTimersByTimeAsync(1600)
    expect((await response).status).toBe(204)
  }
  clearInterval(flood)
})

it('a client that leaves while its call waits is no error, though its time is up before its turn comes', async () => {
  const { call } = createPendingCalls()
  const onError = vi.fn()
  const client = new AbortController()
  const store = mounted(
    { maxConcurrentCalls: 1, onError },
    { ...memoryStorage(), list: () => call([]) },
  )
  const incoming = fromRequest(new Request(request('/plants'), { signal: client.signal }))
  const hanging = store.fetch(request('/plants'))
  const left = store.handle(incoming)
  await vi.advanceTimersByTimeAsync(10)
  client.abort()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await left).toMatchObject({ status: 499 })
  expect((await hanging).status).toBe(503)
  expect(onError).toHaveBeenCalledOnce()
})

it.each([
  ['the option Infinity', 'Node.js', Infinity],
  ['Cloudflare Workers, where no request may wait for another,', 'Cloudflare-Workers', 1],
])('%s turns the protection off', async (_, userAgent, maxConcurrentCalls) => {
  vi.stubGlobal('navigator', { userAgent })
  const { remove, pending } = await overloadedStore({ maxConcurrentCalls })
  for (let i = 0; i < 100; i++) void remove()
  await vi.advanceTimersByTimeAsync(0)
  expect(pending).toHaveLength(103)
})

const CALLS = {
  create: ['/plants', { method: 'POST', body: '{"id":1,"name":"Aloe"}' }, 200],
  list: ['/plants', {}, 200],
  delete: ['/plants/7', { method: 'DELETE' }, 404],
} as const
const METHODS = ['create', 'list', 'delete'] as const

it.each(METHODS)(
  'calls of %s that hang, and those of a verifier, keep no other call waiting',
  async (hanging) => {
    const never = () => new Promise<never>(() => {})
    const storage = { ...memoryStorage(), [hanging]: never }
    const [hangingPath, hangingInit] = CALLS[hanging]
    const verify = (token: string) => (token === 'a' ? { owner: 'alice' } : never())
    const { fetch } = mounted({ maxConcurrentCalls: 1 }, storage, verify)
    for (let i = 0; i < 100; i++) {
      void fetch(request(hangingPath, hangingInit))
      void fetch(request('/plants', bearer(`unknown-${i}`)))
    }
    await vi.advanceTimersByTimeAsync(1000)
    for (const method of METHODS) {
      const [path, init, status] = CALLS[method]
      if (method !== hanging) expect((await fetch(request(path, init))).status).toBe(status)
    }
  },
)

it.each(METHODS)(
  'one owner’s calls of %s that hang keep no other owner waiting',
  async (method) => {
    const [path, init, status] = CALLS[method]
    const verify = (token: string) => ({ owner: token })
    for (const maxConcurrentCalls of [undefined, 2, 10]) {
      const inner = memoryStorage()
      const call = (owner: string, ...rest: [any]) =>
        owner === 'mallory' ? new Promise<never>(() => {}) : inner[method](owner, ...rest)
      const { fetch } = mounted({ maxConcurrentCalls }, { ...inner, [method]: call }, verify)
      const send = (owner: string) => fetch(request(path, { ...init, ...bearer(owner) }))
      for (let i = 0; i < 300; i++) void send('mallory')
      await vi.advanceTimersByTimeAsync(5000)
      expect((await send('alice')).status).toBe(status)
    }
  },
)

it.each([
  ['take turns', 2, ['mallory', 'bob', 'mallory', 'alice']],
  ['who have fewer slots come first', 4, ['mallory', 'mallory', 'mallory', 'bob', 'alice']],
])('owners %s, however many calls one of them has waiting', async (...row) => {
  const [, maxConcurrentCalls, order] = row
  const { call, settle } = createPendingCalls()
  const begun: string[] = []
  const remove = (owner: string) => {
    begun.push(owner)
    return call(true)
  }
  const limited = withOverloadProtection(
    { ...memoryStorage(), delete: remove },
    { maxConcurrentCalls },
  )
  for (let id = 0n; id < 300n; id++) void limited.delete('mallory', id)
  void limited.delete('bob', 1n)
  void limited.delete('alice', 1n)
  for (let turn = 0; turn < 2; turn++) await settle()
  expect(begun.slice(0, order.length)).toEqual(order)
})

it('owners whose calls have not waited for long come first', async () => {
  const { call, settle } = createPendingCalls()
  const remove = vi.fn((_owner: string) => call(true))
  const storage = { ...memoryStorage(), delete: remove }
  const limited = withOverloadProtection(storage, { maxConcurrentCalls: 1 })
  for (const owner of ['alice', 'bob', 'carol']) void limited.delete(owner, 1n)
  await vi.advanceTimersByTimeAsync(300)
  void limited.delete('dave', 1n)
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.5)
  await settle()
  expect(remove).toHaveBeenLastCalledWith('dave', 1n, undefined)
})

it('withOverloadProtection has a queue for each method', () => {
  const call = vi.fn(() => new Promise<never>(() => {}))
  const storage = { create: call, list: call, delete: call }
  const limited = withOverloadProtection(storage, { maxConcurrentCalls: 1 })
  void limited.create('alice', { id: 1n, name: 'Aloe' })
  void limited.list('alice', { limit: 1 })
  void limited.delete('alice', 1n)
  expect(call).toHaveBeenCalledTimes(3)
})

it('withOverloadProtection refuses no page of a list after the first one', async () => {
  const { call, settle } = createPendingCalls()
  const storage = { ...memoryStorage(), list: () => call([]) }
  const limited = withOverloadProtection(storage, { maxConcurrentCalls: 1 })
  const list = async (query = {}) => limited.list('alice', { limit: 7, ...query })
  for (let i = 0; i < 2; i++) void list()
  await vi.advanceTimersByTimeAsync(2100)
  const later = list({ after: 5n })
  const first = expect(list()).rejects.toMatchObject({ code: 'overloaded' })
  await vi.advanceTimersByTimeAsync(1000)
  await first
  for (let i = 0; i < 3; i++) await settle()
  expect(await later).toEqual([])
})

it('an overloaded storage refuses a list from a cursor, but goes on with another that has begun', async () => {
  const { call, pending } = createPendingCalls()
  const plants = Array.from({ length: 101 }, (_, id) => ({ id: BigInt(id), name: 'Aloe' }))
  let isBusy = false
  const list: PlantStorage['list'] = (_, { after }) => {
    if (isBusy) return call([])
    return after === undefined ? plants : []
  }
  const { fetch } = mounted({ maxConcurrentCalls: 1, onError() {} }, { ...memoryStorage(), list })
  const begun = await fetch(request('/plants'))
  isBusy = true
  for (let i = 0; i < 2; i++) void fetch(request('/plants'))
  await vi.advanceTimersByTimeAsync(2100)
  const rest = begun.json()
  const refused = fetch(request('/plants?cursor=8000000000000007'))
  await vi.advanceTimersByTimeAsync(1000)
  expect((await (await refused).json()).error).toBe(50304)
  isBusy = false
  for (const settle of pending) settle()
  await vi.advanceTimersByTimeAsync(10)
  expect(await rest).toHaveLength(101)
})

it('the limit is the one that the storage declares, also where it is wrapped, unless the option overrides it', async () => {
  const hang = vi.fn(() => new Promise<never>(() => {}))
  for (const [maxConcurrentCalls, calls] of [
    [undefined, 3],
    [2, 1],
    [Infinity, 10],
  ] as const) {
    hang.mockClear()
    const storage: PlantStorage = { ...memoryStorage(), delete: hang, maxConcurrentCalls: 4 }
    const { fetch } = mounted({ maxConcurrentCalls }, { ...storage })
    for (let i = 0; i < 10; i++) void fetch(request('/plants/7', { method: 'DELETE' }))
    await vi.advanceTimersByTimeAsync(0)
    // One owner leaves the last slot to others.
    expect(hang).toHaveBeenCalledTimes(calls)
  }
  expect(() => mounted({}, { ...memoryStorage(), maxConcurrentCalls: 0 })).toThrow(
    'maxConcurrentCalls of the storage must be a whole number from 1',
  )
})

it.each([
  ['time is up', 1000],
  ['client left 30 s ago', 30_000],
])(
  'withOverloadProtection gives back, once, the slot of a call whose %s, also where a wrapper has a signal of its own',
  async (_, ms) => {
    const { call, pending, settle } = createPendingCalls()
    const hanging: PlantStorage = {
      ...memoryStorage(),
      list: (owner) => (owner === 'alice' ? [] : call([])),
    }
    const limited = withOverloadProtection(hanging, { maxConcurrentCalls: 1 })
    const wrapper: PlantStorage = {
      ...limited,
      list: (owner, query, call) =>
        limited.list(owner, query, { signal: AbortSignal.any([call!.signal]) }),
    }
    const { fetch } = mounted({ timeoutMs: 1000, onError() {} }, wrapper, (owner) => ({ owner }))
    const list = (owner: string, signal: AbortSignal | null = null) =>
      fetch(request('/plants', { ...bearer(owner), signal }))
    const client = new AbortController()
    const left = list('mallory', client.signal).catch(() => 'left')
    await vi.advanceTimersByTimeAsync(10)
    if (ms > 1000) client.abort()
    await vi.advanceTimersByTimeAsync(ms - 110)
    const response = list('alice')
    await vi.advanceTimersByTimeAsync(200)
    expect((await response).status).toBe(200)
    await left
    await settle()
    for (const owner of ['mallory', 'bob']) void list(owner)
    await vi.advanceTimersByTimeAsync(0)
    expect(pending).toHaveLength(1)
  },
)

it('withOverloadProtection takes a storage and a limit, and closes the storage', async () => {
  for (const method of METHODS) {
    const partial: any = { ...memoryStorage(), maxConcurrentCalls: 1, [method]: undefined }
    expect(() => withOverloadProtection(partial)).toThrow(
      `withOverloadProtection takes a PlantStorage; got an object without ${method}()`,
    )
  }
  expect(() => withOverloadProtection(memoryStorage())).toThrow('got undefined')
  for (const method of ['close', Symbol.asyncDispose] as const) {
    let isClosed = false
    async function close() {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      isClosed = true
    }
    const storage = { ...memoryStorage(), maxConcurrentCalls: 1, close }
    const closed = Promise.resolve(withOverloadProtection(storage)[method]!()).then(() => isClosed)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await closed).toBe(true)
  }
  await withOverloadProtection(memoryStorage(), { maxConcurrentCalls: 1 }).close!()
})

describe('limitCalls', () => {
  const context = () => {
    const request = new Request('http://localhost/plants')
    return { request, signal: request.signal, refuse: () => null }
  }

  it('makes so many calls of a verifier at once, and the rest in turn', async () => {
    const { call, pending, settle } = createPendingCalls()
    const ask = vi.fn((owner: string) => call({ owner }))
    const verify = limitCalls(ask, { maxConcurrentCalls: 4 })
    const given = context()
    const tokens = Array.from({ length: 20 }, (_, i) => `${i}`)
    const results = tokens.map((token) => verify(token, given))
    for (const index of tokens.keys()) {
      expect(pending).toHaveLength(Math.min(4, tokens.length - index))
      await settle()
    }
    expect(await Promise.all(results)).toEqual(tokens.map((owner) => ({ owner })))
    expect(ask.mock.calls).toEqual(tokens.map((token) => [token, given]))
  })

  it('refuses calls with the code overloaded, once others have waited for 2 s', async () => {
    const verify = limitCalls(() => new Promise(() => {}), { maxConcurrentCalls: 1 })
    void verify('a', context())
    void verify('b', context())
    await vi.advanceTimersByTimeAsync(1900)
    void verify('of a burst', context())
    await vi.advanceTimersByTimeAsync(300)
    let refusal: unknown
    Promise.resolve(verify('c', context())).catch((error) => (refusal = error))
    await vi.advanceTimersByTimeAsync(249)
    expect(refusal).toBe(undefined)
    await vi.advanceTimersByTimeAsync(1)
    expect(refusal).toMatchObject({ code: 'overloaded' })
  })

  it.each([
    ['newest', 0.5, 'c'],
    ['oldest', 0.05, 'b'],
  ])(
    'makes the %s call next, in most turns or in some, if all have waited for long',
    async (...row) => {
      const [, share, next] = row
      const { call, settle } = createPendingCalls()
      const ask = vi.fn((owner: string) => call({ owner }))
      const verify = limitCalls(ask, { maxConcurrentCalls: 1 })
      for (const token of ['a', 'b', 'c']) void verify(token, context())
      await vi.advanceTimersByTimeAsync(300)
      vi.spyOn(Math, 'random').mockReturnValueOnce(share)
      await settle()
      expect(ask.mock.lastCall![0]).toBe(next)
    },
  )

  it('takes a function, and a whole number or Infinity', () => {
    expect(() => limitCalls({} as never, { maxConcurrentCalls: 1 })).toThrow(
      'limitCalls takes a verifier, which is a function; got an object',
    )
    expect(() => limitCalls(() => null, { maxConcurrentCalls: 0 })).toThrow(RangeError)
    expect(() => limitCalls(() => null, { max: 1 } as never)).toThrow('no option max')
  })

  it('makes other calls when those that hang have timed out', async () => {
    const verify = limitCalls(
      async (token) => (token === 'a' ? { owner: 'alice' } : new Promise<never>(() => {})),
      { maxConcurrentCalls: 2 },
    )
    const { fetch } = mounted({ timeoutMs: 10_000, onError() {} }, memoryStorage(), verify)
    const list = (token: string) => fetch(request('/plants', bearer(token)))
    for (let i = 0; i < 2; i++) void list(`hangs-${i}`)
    await vi.advanceTimersByTimeAsync(9900)
    const response = list('a')
    await vi.advanceTimersByTimeAsync(200)
    expect((await response).status).toBe(200)
  })

  it('keeps the slot of a call that hangs for 30 s after its client has left', async () => {
    const client = new AbortController()
    const ask = vi.fn(() => new Promise<never>(() => {}))
    const verify = limitCalls(ask, { maxConcurrentCalls: 1 })
    void verify('hangs', { ...context(), signal: client.signal })
    void verify('waits', context())
    client.abort()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(ask).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(ask).toHaveBeenCalledTimes(2)
  })
})
