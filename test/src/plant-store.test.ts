import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import {
  createPlantStore,
  type PlantStorage,
  type PlantStoreOptions,
  type RequestContext,
  StorageUnavailableError,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { aliceOnly, mounted, request } from './mounted.ts'

describe('createPlantStore', () => {
  it('returns functions that work without `this`', async () => {
    const { fetch, handle, close } = mounted({})
    expect((await fetch(request('/plants'))).status).toBe(200)
    expect(await handle(request('/plants'))).toMatchObject({ status: 200, body: '[]' })
    await close()
  })

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [memoryStorage, 'a function without create()'],
    [Promise.resolve(memoryStorage()), 'a promise'],
    [{}, 'an object without create()'],
    [{ ...memoryStorage(), list: [] }, 'an object without list()'],
    [{ ...memoryStorage(), delete: 7 }, 'an object without delete()'],
  ])('rejects an invalid storage: %o', (storage, got) => {
    const must = 'storage must be a PlantStorage, such as memoryStorage() returns'
    expect(() => createPlantStore(storage as never, aliceOnly)).toThrow(
      new TypeError(`${must}; got ${got}`),
    )
  })

  it.each([
    [undefined, 'undefined'],
    [{ s3cret: 'alice' }, 'an object'],
    ['', 'an empty string'],
    ['s3cret', 'a string'],
  ])('rejects an invalid verifier: %j', (verify, got) => {
    expect(() => createPlantStore(memoryStorage(), verify as never)).toThrow(
      new TypeError(
        `authVerifier must be a function, such as staticTokens({ … }) returns; got ${got}`,
      ),
    )
  })

  it('closes its storage once, when no call is in progress, not even one that has timed out', async () => {
    const ends = Array.from({ length: 3 }, () => Promise.withResolvers<boolean>())
    const begun = ends.values()
    const calls: string[] = []
    const storage = {
      ...memoryStorage(),
      create: () => begun.next().value!.promise.finally(() => void calls.push('created')),
      delete() {
        throw new Error('The disk is full')
      },
      close: () => void calls.push('closed'),
    }
    const store = mounted({ timeoutMs: 20, onError: () => {} }, storage)
    const create = () =>
      store.fetch(request('/plants', { method: 'POST', body: '{"id":1,"name":"Fern"}' }))
    ends[0]!.resolve(true)
    expect((await create()).status).toBe(200)
    expect((await store.fetch(request('/plants/1', { method: 'DELETE' }))).status).toBe(500)
    for (const timedOut of await Promise.all([create(), create()])) {
      expect(await timedOut.json()).toMatchObject({ error: 50303 })
    }

    const closed = Promise.all([store.close(), store.close()])
    const refused = await create()
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: 50301 }])
    ends[1]!.resolve(true)
    await setImmediate()
    expect(calls).toEqual(['created', 'created'])
    ends[2]!.resolve(true)
    await closed
    await store.close()
    expect(calls).toEqual(['created', 'created', 'created', 'closed'])
  })

  it('keeps nothing of a request whose storage call nobody can end any more', async () => {
    const storage = { ...memoryStorage(), list: () => new Promise<never>(() => {}) }
    const options = { timeoutMs: 500, maxConcurrentCalls: 1, onError: () => {} }
    const { fetch } = mounted(options, storage)
    async function list(): Promise<WeakRef<Request>> {
      const sent = request('/plants')
      expect((await fetch(sent)).status).toBe(503)
      return new WeakRef(sent)
    }
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const sent = await list()
    // The overload protection gives the slot of the first call to this one.
    await list()
    await vi.waitFor(() => {
      collectGarbage()
      expect(sent.deref()).toBe(undefined)
    }, 10_000)
  })

  it('awaits a storage’s promise once, since a query builder runs its query each time', async () => {
    const run = vi.fn((resolve: (isCreated: boolean) => void) => void setTimeout(resolve, 1, true))
    // biome-ignore lint/suspicious/noThenProperty: a query builder has one
    const storage = { ...memoryStorage(), create: () => ({ then: run }) as never }
    const body = '{"id":1,"name":"Fern"}'
    const { status } = await mounted({}, storage).fetch(
      request('/plants', { method: 'POST', body }),
    )
    expect(status).toBe(200)
    expect(run).toHaveBeenCalledOnce()
  })

  it('rethrows the error of a close that fails, also at the end of await using', async () => {
    const close = () => {
      throw new Error('The disk is gone')
    }
    const store = mounted({}, { ...memoryStorage(), close })
    for (const end of [store.close, store[Symbol.asyncDispose]]) {
      await expect(end()).rejects.toThrow('The disk is gone')
    }
  })

  it.each<[unknown, TypeError | RangeError]>([
    ['/api', new TypeError('createPlantStore takes an object of options; got a string')],
    [
      { maxBody: 7 },
      new TypeError(
        'createPlantStore has no option maxBody; the options are basePath, maxBodyBytes, maxLimit, timeoutMs, maxConcurrentCalls, cors, onError, onResponse',
      ),
    ],
    [{ basePath: 7 }, basePathError('a number')],
    ...['api/v1', '/a?b', '/a#b', '/a*', '/:a'].map((basePath): [unknown, TypeError] => [
      { basePath },
      basePathError(`'${basePath}'`),
    ]),
    // http/failure.test.ts has values that are not whole numbers.
    [{ maxBodyBytes: 2 ** 53 }, wholeNumberError('maxBodyBytes', 2 ** 53 - 1, 2 ** 53)],
    [{ maxLimit: 2 ** 31 }, wholeNumberError('maxLimit', 2 ** 31 - 1, 2 ** 31)],
    [{ timeoutMs: 2 ** 31 }, wholeNumberError('timeoutMs', 2 ** 31 - 1, 2 ** 31)],
    [{ maxConcurrentCalls: 0 }, wholeNumberError('maxConcurrentCalls', 2 ** 53 - 1, 0)],
    [
      { cors: { origins: '*' } },
      new TypeError('cors has no option origins; the options are origin'),
    ],
    ...Object.entries({
      "'garden'": 'garden',
      "'https://a.example/'": 'https://a.example/',
      "'https://a.example/api'": ['https://a.example', 'https://a.example/api'],
      "'*'": ['https://a.example', '*'],
      "'https://*.a.example'": 'https://*.a.example',
      'a number': [7],
    }).map(([got, origin]): [unknown, TypeError] => [
      { cors: { origin } },
      new TypeError(
        `cors.origin must be '*' or origins such as 'https://garden.example', without a path or a slash at the end; got ${got}`,
      ),
    ]),
    [{ onError: 'x' }, new TypeError('onError must be a function; got a string')],
    [{ onResponse: [] }, new TypeError('onResponse must be a function; got an array')],
  ])('refuses the options %o', (options, error) => {
    expect(() => createPlantStore(memoryStorage(), aliceOnly, options as never)).toThrow(error)
  })

  it.each<PlantStoreOptions>([
    { maxBodyBytes: 1, maxLimit: 1, timeoutMs: 1 },
    { maxBodyBytes: 2 ** 53 - 1, maxLimit: 2 ** 31 - 1, timeoutMs: 2 ** 31 - 1 },
    { basePath: undefined, maxLimit: undefined, cors: undefined, onResponse: undefined },
    { cors: { origin: ['https://a.example', 'http://localhost:8080'] } },
  ])('takes the options %o', (options) => {
    createPlantStore(memoryStorage(), aliceOnly, options)
  })
})

it('A runtime that is too old is told what is needed', () => {
  const { withResolvers } = Promise
  Reflect.deleteProperty(Promise, 'withResolvers')
  try {
    expect(() => createPlantStore(memoryStorage(), aliceOnly)).toThrow(
      'plant-store needs Node 22.18 or newer, or another runtime with Promise.withResolvers, and a global Promise that was not replaced; got v2',
    )
  } finally {
    Object.assign(Promise, { withResolvers })
  }
})

function wholeNumberError(name: string, max: number, got: number): RangeError {
  return new RangeError(`${name} must be a whole number from 1 to ${max}; got ${got}`)
}

function basePathError(got: string): TypeError {
  return new TypeError(
    `basePath must be a path such as '/api/v1', without wildcards, parameters and query; got ${got}`,
  )
}

describe('fetch', () => {
  const MOUNT =
    '. Mount it with toExpressHandler(store) of plant-store/express or toNodeHandler(store) of plant-store/node'
  const PASS = '; got a URL. Pass new Request(url, { headers: { authorization } })'
  it.each<[unknown, string]>([
    [undefined, MOUNT],
    [{}, MOUNT],
    [{ url: '/plants', headers: {} }, MOUNT],
    [{ headers: new Headers() }, MOUNT],
    ['http://localhost/plants', PASS],
    [new URL('http://localhost/plants'), PASS],
  ])('rejects what is not a Request, and says what to do: %j', async (input, message) => {
    const { fetch } = createPlantStore(memoryStorage(), aliceOnly)
    const error = new TypeError(`The plant store takes a Fetch Request${message}`)
    await expect(fetch(input as never)).rejects.toThrow(error)
  })
})

describe('The path of a request', () => {
  it.each([
    ['/api/v1', '/api/v1/plants'],
    ['/api/v1/', '/api/v1/plants'],
    ['/api/v1//', '/api/v1/plants'],
    ['/', '/plants'],
    ['/café (ü)', '/café (ü)/plants'],
    ['/café (ü)', '/caf%C3%A9%20(%C3%BC)/plants'],
    [undefined, '/plants#x'],
    [undefined, '/plants?#x'],
    [undefined, '/plants?a=b#limit=x'],
    [undefined, '/plants#?limit=x'],
  ])('may be with the basePath %s: %s', async (basePath, path) => {
    expect((await mounted({ basePath }).fetch(request(path))).status).toBe(200)
  })

  it.each([
    '/plants',
    '/api/plants',
    '/api/v1plants',
    '/api/v1//plants',
    '/api/v2/plants',
    '/api/v1/plants/',
  ])('has no route with the basePath /api/v1: %s', async (path) => {
    const response = await mounted({ basePath: '/api/v1' }).fetch(request(path))
    expect((await response.json()).error).toBe(40402)
  })
})

describe('onError', () => {
  const cause = new Error('the real cause')
  const failing = (error: unknown): PlantStorage => ({
    ...memoryStorage(),
    list: () => {
      throw error
    },
  })
  it.each([
    ['a storage that fails', failing(cause), aliceOnly, 500],
    ['a verifier that throws', memoryStorage(), () => Promise.reject(cause), 503],
  ] as const)('gets the underlying error, once: %s', async (_, storage, verify, status) => {
    const onError = vi.fn()
    const response = await mounted({ onError }, storage, verify).fetch(request('/plants?limit=3'))
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain(cause.message)
    expect(onError.mock.calls).toEqual([[cause, expect.anything()]])
    const [[, { request: told }]] = onError.mock.calls as [[Error, RequestContext]]
    expect(told).toBeInstanceOf(Request)
    expect(told.url).toBe('http://localhost/plants?limit=3')
  })

  it('gets what fails after its timeout', async () => {
    const onError = vi.fn()
    const { promise, reject } = Promise.withResolvers<never>()
    const store = mounted({ onError, timeoutMs: 5 }, { ...memoryStorage(), list: () => promise })
    expect((await store.fetch(request('/plants'))).status).toBe(503)
    const cause = new Error('The connection was reset')
    reject(cause)
    await store.close()
    expect(onError.mock.lastCall).toEqual([cause, expect.anything()])
  })

  it.each([
    ['it', (reason: unknown) => reason],
    ['an error that has it as cause', (cause: unknown) => new Error('Aborted', { cause })],
    ['an AbortError of its own', () => new DOMException('Aborted', 'AbortError')],
    ['unavailability', () => new StorageUnavailableError('The connection was reset')],
  ])(
    'gets the reason of an aborted signal once, if the call then rejects with %s',
    async (_, toError) => {
      const onError = vi.fn()
      const list: PlantStorage['list'] = (_owner, _query, call) =>
        new Promise((_, reject) => {
          const { signal } = call!
          signal.addEventListener('abort', () => reject(toError(signal.reason)))
        })
      const store = mounted({ onError, timeoutMs: 5 }, { ...memoryStorage(), list })
      expect((await store.fetch(request('/plants'))).status).toBe(503)
      await store.close()
      expect(onError).toHaveBeenCalledOnce()
    },
  )

  it('is not called for errors of the client', async () => {
    const onError = vi.fn()
    const { fetch } = mounted({ onError })
    await fetch(request('/plants', { method: 'POST', body: '{' }))
    await fetch(request('/plants/7', { method: 'DELETE' }))
    await fetch(request('/plants', { headers: { authorization: 'Bearer b' } }))
    for (const reason of [new Error('hung up'), undefined]) {
      const body = new ReadableStream({ start: (controller) => controller.error(reason) })
      const init = { method: 'POST', body, duplex: 'half' } as RequestInit
      const response = await fetch(request('/plants', init))
      expect(response.status).toBe(400)
      expect((await response.json()).message).toBe('The body is incomplete.')
    }
    expect(onError).not.toHaveBeenCalled()
  })

  it.each(['onError', 'onResponse'])(
    'does not affect the response when %s rejects, and it is printed',
    async (hook) => {
      // A second of its own, since only so many errors are printed in one.
      vi.useFakeTimers({ toFake: ['Date'], now: hook === 'onError' ? 0 : 5000 })
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
      const options = { onError() {}, [hook]: () => Promise.reject(new Error('the log is down')) }
      const response = await mounted(options, failing(cause)).fetch(request('/plants'))
      expect(response.status).toBe(500)
      await vi.waitFor(() => expect(printed).toHaveBeenCalledOnce(), 10_000)
      expect(String(printed.mock.calls)).toContain('the log is down')
      printed.mockRestore()
      vi.useRealTimers()
    },
  )

  it('is called when the body was already read', async () => {
    const onError = vi.fn()
    const consumed = request('/plants', { method: 'POST', body: '{"id":1,"name":"a"}' })
    await consumed.text()
    expect((await mounted({ onError }).fetch(consumed)).status).toBe(500)
    expect(String(onError.mock.lastCall![0])).toBe(
      'BodyConsumedError: The request body was already read before the plant store got it: mount the store before the body parser, and before an asynchronous middleware that runs after a listener to the body',
    )
  })
})

it('Content-Encoding: Identity, which encodes nothing, is accepted', async () => {
  const headers = { 'content-encoding': 'Identity' }
  const create = request('/plants', { method: 'POST', body: '{"id":1,"name":"a"}', headers })
  expect((await mounted({}).fetch(create)).status).toBe(200)
})

describe('maxBodyBytes', () => {
  const create = (body: BodyInit) =>
    mounted({ maxBodyBytes: 20 }).fetch(
      request('/plants', { method: 'POST', body, duplex: 'half' } as RequestInit),
    )

  it('rejects a body without Content-Length as soon as it is too large', async () => {
    const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(8)))
    const cancel = vi.fn()
    const body = new ReadableStream({ pull, cancel })
    expect((await create(body)).status).toBe(413)
    expect(pull.mock.calls.length).toBeLessThan(6)
    // In a host on Node, cancelling would close the connection before the 413 is read.
    expect(cancel).not.toHaveBeenCalled()
    expect(body.locked).toBe(false)
  })

  it('is a 413, too, if the host’s limit is lower', async () => {
    const tooLarge = Object.assign(new Error('Payload Too Large'), { status: 413 })
    const body = new ReadableStream({ start: (controller) => controller.error(tooLarge) })
    const response = await create(body)
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ error: 41301, message: 'The body is too large.' })
  })
})

it('The 400 for a body that is no plant names what is wrong', async () => {
  const response = await mounted({}).fetch(request('/plants', { method: 'POST', body: '[]' }))
  const message = 'The body must be a JSON object; got an array.'
  expect(await response.json()).toEqual({ error: 40002, message })
})

describe('The 400 for an id that is not an int64', () => {
  it.each([
    ['9223372036854775808', '9223372036854775808'],
    ...['99999999999999999999', '1.5', '1.00000000000000000001', '4503599627370497.3', '1e400'].map(
      (id) => [id, id],
    ),
    [`0.${'3'.repeat(100)}`, 'a number'],
  ])('shows no other number than was sent: %s', async (id, got) => {
    const body = `{"id":${id},"name":"Aloe"}`
    const response = await mounted({}).fetch(request('/plants', { method: 'POST', body }))
    const message = `id must be an integer from -9223372036854775808 to 9223372036854775807; got ${got}.`
    expect(await response.json()).toEqual({ error: 40002, message })
  })
})
