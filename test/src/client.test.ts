import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
// @ts-expect-error It has no types.
import { Response as ReactNativeResponse } from 'whatwg-fetch'
import { createPlantClient, type PlantClientOptions, PlantStoreError } from '../../src/client.ts'
import { errors } from '../../src/errors.ts'
import { INT64_MAX, INT64_MIN } from '../../src/lib/int64.ts'
import type { PlantStoreOptions } from '../../src/options.ts'
import type { NewPlant } from '../../src/plant.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { failureOf as rejectionOf } from '../shared/failure-of.ts'
import { listening } from '../shared/listening.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const OWNER = 'alice'
const JSON_TYPE = 'application/json'

/** A store in this process, what it keeps, and what it was sent. */
function inMemory(options: PlantStoreOptions = {}) {
  const storage = memoryStorage()
  const verify = (token: string) => (token === 's3cret' ? { owner: OWNER } : null)
  const store = createPlantStore(storage, verify, options)
  const requests: Request[] = []
  const fetch = (request: Request) => {
    requests.push(request)
    return store.fetch(request)
  }
  return { fetch, requests, kept: () => storage.list(OWNER, { limit: 1000 }) }
}

function clientOf(options: Partial<PlantClientOptions> = {}) {
  return createPlantClient({ baseUrl: 'http://localhost', token: 's3cret', retry: 0, ...options })
}

/** A client of a server that gives these answers, one after another. */
function answeredWith(...answers: Response[]) {
  const requests: Request[] = []
  const client = clientOf({
    fetch: async (request) => {
      requests.push(request)
      return answers.shift()!
    },
  })
  return { client, requests }
}

async function failureOf(call: Promise<unknown>): Promise<PlantStoreError> {
  const error = await rejectionOf(call)
  expect(error).toBeInstanceOf(PlantStoreError)
  return error
}

it('a client reads responses where a DOM for tests has replaced the streams and Response', async () => {
  const responses = [new Response('{"name":"Fern"}'), new Response('[{"name":"Fern"}]')]
  const client = clientOf({ fetch: async () => responses.shift()! })
  class Foreign {
    constructor() {
      throw new TypeError('Not a stream of this realm')
    }
  }
  vi.stubGlobal('TransformStream', Foreign)
  vi.stubGlobal('Response', Foreign)
  expect(await client.create({ id: 1n, name: 'Fern' })).toEqual({ name: 'Fern' })
  expect(await all(client.list())).toEqual([{ name: 'Fern' }])
})

/** Each method that sends a request. */
const calls: [
  string,
  (options: Partial<PlantClientOptions>, signal?: AbortSignal) => Promise<any>,
][] = [
  ['create', (o, signal) => clientOf(o).create({ id: 1n, name: 'Fern' }, { signal })],
  ['list', (o, signal) => all(clientOf(o).list({ signal }))],
  ['listPage', (o, signal) => clientOf(o).listPage({ signal })],
  ['delete', (o, signal) => clientOf(o).delete(1n, { signal })],
]

async function all<T>(items: AsyncIterable<T>, array: T[] = []): Promise<T[]> {
  for await (const item of items) array.push(item)
  return array
}

const numbered = (count: number): NewPlant[] =>
  Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: `plant ${index}` }))

async function withPlants(count: number) {
  const memory = inMemory()
  const client = clientOf({ fetch: memory.fetch })
  for (const plant of numbered(count)) await client.create(plant)
  memory.requests.length = 0
  return { ...memory, client }
}

describe('create and delete', () => {
  it('keep ids and texts exact', async () => {
    const id = fc.oneof(
      fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
      fc.constantFrom(INT64_MIN, INT64_MAX, 0n, 2n ** 53n + 1n),
    )
    const text = fc.string({ unit: 'grapheme' })
    const plant = fc.record({ id, name: text, tag: text }, { requiredKeys: ['id', 'name'] })
    await fc.assert(
      fc.asyncProperty(plant, async (plant) => {
        const { fetch, kept, requests } = inMemory()
        const { id, ...answer } = plant
        const client = clientOf({ fetch })
        expect(await client.create(plant)).toEqual(answer)
        expect(kept()).toEqual([{ ...plant }])
        await client.delete(id)
        expect(kept()).toEqual([])
        // Not that of a form, so that the CSRF check of a framework lets both pass.
        for (const { headers } of requests) expect(headers.get('content-type')).toBe(JSON_TYPE)
      }),
    )
  })

  it('reject a number for an id, since it may have been rounded', async () => {
    const { fetch, requests } = inMemory()
    const client = clientOf({ fetch })
    const id = (2 ** 63) as unknown as bigint
    const error = new TypeError('id must be a bigint; got number 9223372036854776000')
    await expect(client.create({ id, name: 'Monstera' })).rejects.toThrow(error)
    await expect(client.delete(id)).rejects.toThrow(error)
    expect(requests).toEqual([])
  })
})

describe('list', () => {
  it.each([1, 3, 10, 11])('iterates over all plants, %i per page', async (limit) => {
    const { client, requests } = await withPlants(10)
    const names = (await all(client.list({ limit }))).map(({ name }) => name)
    expect(names).toEqual(numbered(10).map(({ name }) => name))
    expect(requests).toHaveLength(Math.ceil(10 / limit))
  })

  it('asks for 500 plants at a time, in one request', async () => {
    const { client, requests } = answeredWith(Response.json([]))
    await all(client.list())
    expect(requests.map(({ url }) => url)).toEqual(['http://localhost/plants?limit=500'])
  })

  it('asks that no cache of a framework keeps it, as that of Next.js 14 would', async () => {
    const { client, requests } = answeredWith(Response.json([]), Response.json([]))
    await client.listPage()
    expect(requests[0]!.cache).toBe('no-store')
    // Of old compatibility dates, workerd's has no such property, and throws for the option.
    class WithoutCache extends Request {
      constructor(url: string, init: RequestInit) {
        if ('cache' in init) throw new Error("The 'cache' field is not implemented")
        super(url, init)
      }
    }
    Object.setPrototypeOf(WithoutCache.prototype, null)
    vi.stubGlobal('Request', WithoutCache)
    expect(await client.listPage()).toEqual({ plants: [] })
  })

  it('keeps a name whose bytes arrive one by one', async () => {
    const body = new ReadableStream({
      start(controller) {
        for (const byte of Buffer.from('[{"name":"🌵"}]')) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const { client } = answeredWith(new Response(body))
    expect(await client.listPage()).toEqual({ plants: [{ name: '🌵' }] })
  })

  it('requests a page only when it is reached', async () => {
    const { client, requests } = await withPlants(4)
    for await (const { name } of client.list({ limit: 2 })) if (name === 'plant 1') break
    expect(requests).toHaveLength(1)
  })

  it('can return one page and the URL of the next', async () => {
    const { client } = await withPlants(3)
    const first = await client.listPage({ limit: 2 })
    expect(first.plants).toEqual([{ name: 'plant 0' }, { name: 'plant 1' }])
    expect(await client.listPage({ next: first.next })).toEqual({ plants: [{ name: 'plant 2' }] })
    expect((await client.listPage()).plants).toHaveLength(3)
    expect(await client.listPage({ limit: 0 })).toEqual({ plants: [] })
  })

  const NEXT = 'http://localhost/plants?cursor=2'
  it.each([
    ['<?cursor=2>; rel="next"', NEXT],
    ['<?cursor=2> ; REL = "NEXT"', NEXT],
    ['<?cursor=2>; title="a, b; rel=\\"prev\\""; rel="last next"', NEXT],
    ['</first>; rel="first", <?cursor=2>; rel="next", </last>; rel=last', NEXT],
    [`<${NEXT}>; rel="next"`, NEXT],
    ['</a,b;c>; rel="first", <plants?cursor=2>; rel="next"', NEXT],
    ['</x>; rel="nextish"', undefined],
    ['</x>; title="; rel=next"', undefined],
    ['</x>; rev="next"', undefined],
    ['garbage', undefined],
  ])('reads of the link %s that the next page is %s', async (link, next) => {
    const { client } = answeredWith(Response.json([], { headers: { link } }))
    expect(await client.listPage()).toEqual({ plants: [], next })
  })

  it('resolves a link against the URL to which a custom fetch was redirected', async () => {
    const response = Response.json([], { headers: { link: '<?cursor=2>; rel="next"' } })
    Object.defineProperty(response, 'url', { value: 'http://localhost/v2/plants' })
    const { client } = answeredWith(response)
    expect((await client.listPage()).next).toBe('http://localhost/v2/plants?cursor=2')
  })

  it.each<[string, string[], number?]>([
    ['redirect_refused', ['http://evil.example/plants?cursor=2']],
    ['redirect_refused', ['http://localhost.evil.example/plants?cursor=2']],
    ['redirect_refused', ['http://[']],
    ['redirect_refused', ['data:,']],
    // As of a cache that ignores the query.
    ['unexpected_response', ['?cursor=2', '?cursor=2']],
    ['unexpected_response', ['?cursor=1', '?cursor=2', '?cursor=1']],
    // Its second page is empty.
    ['unexpected_response', ['?cursor=1', '?cursor=2'], 1],
  ])('fails with %s rather than follow the last of the links %j', async (code, links, pages) => {
    const { client, requests } = answeredWith(
      ...links.map((link, page) => {
        const headers = { link: `<${link}>; rel="next"` }
        return Response.json(page === pages ? [] : [{ name: 'Fern' }], { headers })
      }),
    )
    const message = expect.stringContaining(links.at(-1)!)
    const seen: object[] = []
    expect(await failureOf(all(client.list(), seen))).toMatchObject({ code, message })
    expect([requests.length, seen.length]).toEqual([links.length, links.length - 1])
  })
})

describe('baseUrl', () => {
  it.each([
    'http://localhost/api/v1',
    'http://localhost/api/v1/',
    'http://localhost/api/v1?page=1#top',
    new URL('http://localhost/api/v1'),
  ])('may have a path, and loses its query: %s', async (baseUrl) => {
    const { fetch } = inMemory({ basePath: '/api/v1' })
    const client = clientOf({ baseUrl, fetch })
    for (const plant of numbered(3)) await client.create(plant)
    expect(await all(client.list({ limit: 2 }))).toHaveLength(3)
    await client.delete(0n)
  })

  it.each([
    ['/api', '/api'],
    ['ftp://garden.example/', 'ftp://garden.example/'],
    ['http://alice@localhost', 'localhost'],
    ['http://:s3cret@localhost', 'localhost'],
    ['https://a:s3cret@garden.example/api', 'garden.example/api'],
  ])('has to be a URL without user and password, which are not repeated: %s', (baseUrl, got) => {
    const message = `baseUrl must be an absolute https: URL without user, or set allowHttp; got ${got}`
    expect(() => clientOf({ baseUrl })).toThrow(new TypeError(message))
  })

  it.each([
    'https://garden.example',
    'http://localhost:8080',
    'http://127.9.8.7:3000',
    'http://[::1]:3000',
  ])('may be %s, where nobody on the way reads the token', (baseUrl) => {
    expect(clientOf({ baseUrl })).toBeTypeOf('object')
  })

  it.each([
    'http://garden.example',
    'http://192.168.0.7/api',
    'http://localhost.example',
    'http://evil.example/localhost/',
  ])('must be https: unless allowHttp is true: %s', (baseUrl) => {
    expect(() => clientOf({ baseUrl })).toThrow(TypeError)
    const allowHttp = 'false' as unknown as boolean
    expect(() => clientOf({ baseUrl, allowHttp })).toThrow(TypeError)
    expect(clientOf({ baseUrl, allowHttp: true })).toBeTypeOf('object')
  })
})

it('A browser without URL.parse, such as Safari 17, lists page by page', async () => {
  const { client } = await withPlants(3)
  vi.spyOn(URL, 'parse').mockImplementation(() => {
    throw new TypeError('URL.parse is not a function')
  })
  expect(await all(client.list({ limit: 2 }))).toHaveLength(3)
})

describe('options', () => {
  const GOOD = { baseUrl: 'https://garden.example', token: 's3cret' }
  const TOKEN = 'token must be header text without "Bearer "; got'
  const KNOWN = 'the options are baseUrl, token, fetch, allowHttp, retry, timeoutMs'
  it.each<[unknown, string]>([
    [{ ...GOOD, timeout: 1 }, `createPlantClient has no option timeout; ${KNOWN}`],
    // Not what is missing then, which may be the misspelt one.
    [
      { baseURL: 'https://garden.example', token: 's3cret' },
      `createPlantClient has no option baseURL; ${KNOWN}`,
    ],
    ['https://garden.example', `createPlantClient has no option 0; ${KNOWN}`],
    [{ ...GOOD, token: null }, `${TOKEN} object`],
    [{ ...GOOD, token: 7 }, `${TOKEN} number`],
    [{ ...GOOD, token: '' }, `${TOKEN} string`],
    [{ ...GOOD, token: 'Bearer s3cret' }, `${TOKEN} string`],
    [undefined, 'baseUrl must be an absolute https: URL without user, or set allowHttp; got /'],
  ])('that are wrong throw: %o', (options, message) => {
    expect(() => createPlantClient(options as PlantClientOptions)).toThrow(new TypeError(message))
  })

  it.each([{ retry: -1 }, { retry: 11 }, { timeoutMs: 0.9 }, { timeoutMs: 2 ** 31 }])(
    'that are out of range throw: %o',
    (wrong: { retry?: number; timeoutMs?: number }) => {
      const { retry = 2, timeoutMs = 40_000 } = wrong
      const message = `retry is 0 to 10, timeoutMs 1 to 2^31 - 1; got ${retry}, ${timeoutMs}`
      expect(() => createPlantClient({ ...GOOD, ...wrong })).toThrow(new RangeError(message))
    },
  )

  it('of calls that are not known reject', async () => {
    const { fetch, requests } = inMemory()
    const client = clientOf({ fetch })
    const misspelt: object = { sginal: 1 }
    for (const [call, callee, known] of [
      [client.create({ id: 1n, name: 'Fern' }, misspelt), 'The call', 'signal'],
      [client.listPage(misspelt), 'listPage', 'limit, next, signal'],
      [all(client.list(misspelt)), 'listPage', 'limit, next, signal'],
      [client.delete(1n, misspelt), 'The call', 'signal'],
    ] as const) {
      const message = `${callee} has no option sginal; the options are ${known}`
      await expect(call).rejects.toThrow(new TypeError(message))
    }
    expect(requests).toEqual([])
  })
})

describe('a `fetch` of the caller', () => {
  it('that throws or rejects is a network error', async () => {
    const cause = new Error('offline')
    const throwing = () => {
      throw cause
    }
    for (const fetch of [throwing, () => Promise.reject(cause)]) {
      const failure = await failureOf(clientOf({ fetch }).listPage())
      expect(failure).toMatchObject({ code: 'network_error', cause })
      expect([failure.status, failure.error]).toEqual([undefined, undefined])
      expect(String(failure)).toBe('PlantStoreError: Network error at http://localhost/')
    }
  })

  it('may return a Response without `body`, as React Native’s', async () => {
    const fetch = async (request: Request) => {
      const [status, body] = request.method === 'GET' ? [200, '[{"name":"Fern"}]'] : [204, '']
      return new ReactNativeResponse(body, { status })
    }
    expect(await clientOf({ fetch }).listPage()).toEqual({ plants: [{ name: 'Fern' }] })
    expect(await clientOf({ fetch }).delete(1n)).toBeUndefined()
  })

  it('may return its Response without a promise', async () => {
    const fetch = () => Response.json([{ name: 'Fern' }]) as never
    expect(await clientOf({ fetch }).listPage()).toEqual({ plants: [{ name: 'Fern' }] })
  })
})

describe('a redirect', () => {
  it.each(calls)('of %s is not followed, and its target gets nothing', async (_, call) => {
    const got: unknown[] = []
    const { url: other } = await listening(({ method, headers }, response) => {
      got.push(method, headers.authorization)
      response.end('[]')
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const { url: baseUrl } = await listening(({ url }, response) => {
        response.writeHead(status, { location: `${other}${url}` }).end()
      })
      const failure = await failureOf(call({ baseUrl }))
      expect(failure).toMatchObject({ code: 'redirect_refused', status })
    }
    expect(got).toEqual([])
  })

  it.each(calls)(
    'that a `fetch` follows to another origin has its answer to %s refused',
    async (_, call) => {
      const asked: unknown[] = []
      const token = (refused?: string) => `t${asked.push(refused)}`
      for (const status of [200, 401]) {
        const { url: other } = await listening((_, response) => {
          response.writeHead(status).end('[{"name":"Fern"}]')
        })
        const failure = await failureOf(call({ token, fetch: () => fetch(other) }))
        const message = expect.stringContaining(other)
        expect(failure).toMatchObject({ code: 'redirect_refused', message })
      }
      // No token is asked for in place of one that another server has refused.
      expect(asked).toEqual([undefined, undefined])
    },
  )
})

describe('a failure', () => {
  it.each(Object.entries(errors))(
    'has the name in the catalogue for its code: %s',
    async (code, row) => {
      const { error, status, message } = row
      const fetch = async () => Response.json({ error, message }, { status })
      for (const [, call] of calls) {
        expect(await failureOf(call({ fetch }))).toMatchObject({ code, error, status, message })
      }
    },
  )

  const PROXY = 'Got a 403 from a proxy or framework, not the plant store'
  it.each([
    ['of another version', '{"error":49999,"message":"I am a teapot."}', 49999, 'I am a teapot.'],
    ['HTML', '<h1>Forbidden</h1>', undefined, PROXY],
    ['other JSON', '{"error":"forbidden","message":"no"}', undefined, PROXY],
    ['no message', '{"error":49999}', 49999, PROXY],
    ['nothing', null, undefined, PROXY],
    ['a message not of text', '{"error":40001,"message":{"toString":1}}', undefined, PROXY],
  ])('may have a body that this client doesn’t know: %s', async (_, body, error, message) => {
    const { client } = answeredWith(new Response(body, { status: 403 }))
    const failure = { code: 'unexpected_response', status: 403, error, message }
    expect(await failureOf(client.delete(1n))).toMatchObject(failure)
  })

  it.each([
    ['7', () => '7', 7],
    ['in a minute', () => new Date(Date.now() + 60_000).toUTCString(), expect.closeTo(60, -1)],
    ['in the past', () => 'Mon, 01 Jan 2024 00:00:00 GMT', undefined],
    ['soon', () => 'soon', undefined],
  ])('keeps the seconds of Retry-After, which may be a date: %s', async (_, header, seconds) => {
    const { client } = answeredWith(
      new Response('busy', { status: 503, headers: { 'retry-after': header() } }),
    )
    expect((await failureOf(client.listPage())).retryAfterSeconds).toEqual(seconds)
  })

  it.each([
    ['HTML', () => new Response('<h1>Sign in</h1>'), expect.any(SyntaxError)],
    ['null', () => Response.json(null), undefined],
    ['an object', () => Response.json({}), undefined],
    ['an array of other things', () => Response.json([{ name: 'Fern' }, null]), undefined],
  ])('is a success that is not the answer of a store: %s', async (_, answer, cause) => {
    const { client } = answeredWith(answer(), answer(), answer())
    const failure = { code: 'unexpected_response', status: 200, cause }
    for (const [call, mayHaveBeenApplied] of [
      [client.create({ id: 1n, name: 'Fern' }), true],
      [client.listPage(), false],
      [client.delete(1n), true],
    ] as const) {
      expect(await failureOf(call)).toMatchObject({ ...failure, mayHaveBeenApplied })
    }
  })

  it('is a truncated response', async () => {
    const { url: baseUrl } = await listening((_, response) => {
      response.write('[{"name":"Monstera"},', () => response.destroy())
    })
    const failure = await failureOf(clientOf({ baseUrl }).listPage())
    expect(failure).toMatchObject({
      code: 'network_error',
      status: 200,
      message: `Network error at ${baseUrl}/`,
      cause: expect.any(Error),
    })
  })

  it('is a response without end, of which 64 MiB are read, once', async () => {
    const mebibyte = Buffer.alloc(1024 * 1024, '[')
    const pull = vi.fn((controller: ReadableStreamDefaultController) =>
      controller.enqueue(mebibyte),
    )
    const fetch = vi.fn(async () => new Response(new ReadableStream({ pull })))
    const failure = await failureOf(clientOf({ fetch, retry: 2 }).listPage())
    const cause = new RangeError('Over 64 MiB')
    expect(failure).toMatchObject({ code: 'unexpected_response', status: 200, cause })
    expect(fetch).toHaveBeenCalledOnce()
    // The stream keeps one chunk ready.
    expect(pull.mock.calls.length).toBeOneOf([65, 66])
  })
})

describe('token', () => {
  /** Gives these tokens one after another, and remembers what it was called with. */
  function tokens(...given: string[]) {
    const calls: (string | undefined)[] = []
    const token = async (refused?: string) => {
      calls.push(refused)
      return given.shift()!
    }
    return { token, calls }
  }

  it('may be a function, called before every request', async () => {
    const { token, calls } = tokens('s3cret', 's3cret')
    const { fetch } = inMemory()
    const client = clientOf({ fetch, token })
    await client.create({ id: 1n, name: 'Monstera' })
    await client.delete(1n)
    expect(calls).toEqual([undefined, undefined])
  })

  it('is requested again after a 401, and the request is repeated', async () => {
    const { token, calls } = tokens('expired', 's3cret')
    const { fetch, kept } = inMemory()
    await clientOf({ fetch, token }).create({ id: 1n, name: 'Monstera' })
    expect(calls).toEqual([undefined, 'expired'])
    expect(kept()).toHaveLength(1)
  })

  it('is not requested again after a 403, which another token of the user would get too', async () => {
    const { token, calls } = tokens('s3cret', 'another')
    const { error, status, message } = errors.insufficient_scope
    const fetch = async () => Response.json({ error, message }, { status })
    await failureOf(clientOf({ fetch, token }).listPage())
    expect(calls).toEqual([undefined])
  })

  it('is none by default, for a caller who has signed in to the app', async () => {
    const store = createPlantStore(memoryStorage(), () => null)
    const fetch = vi.fn(store.as({ owner: OWNER }).fetch)
    const client = createPlantClient({ fetch })
    await client.create({ id: 1n, name: 'Fern' })
    expect(await all(client.list())).toEqual([{ name: 'Fern' }])
    for (const [{ headers }] of fetch.mock.calls) expect(headers.has('authorization')).toBe(false)
    // Nobody has signed in.
    const failure = await failureOf(createPlantClient({ fetch: store.fetch }).listPage())
    expect(failure.code).toBe('missing_token')
  })

  it('that was refused leaves no response unread, which would hold its connection', async () => {
    const read = Promise.withResolvers<void>()
    const { url: baseUrl } = await listening(({ headers }, response) => {
      if (headers.authorization === 'Bearer fresh') response.end('[]')
      else response.writeHead(401).end(Buffer.alloc(10_000_000, 'x')).once('finish', read.resolve)
    })
    await clientOf({ baseUrl, token: tokens('expired', 'fresh').token }).listPage()
    await read.promise
  })

  it.each([
    [['expired', 'expired'], 1],
    [['expired', 'wrong-too', 's3cret'], 2],
  ])('is refused for good: %j', async (given, sent) => {
    const { fetch, requests } = inMemory()
    const { token } = tokens(...given)
    const failure = await failureOf(clientOf({ fetch, token }).listPage())
    expect(failure).toMatchObject(errors.invalid_token)
    expect(requests).toHaveLength(sent)
  })

  it.each<[unknown, string]>([
    ...['s3cret\n', 's3\r\nx: cret', 's3cret\0', 's3cret\x7f', 's3cret€'].map(
      (text): [unknown, string] => [text, 'string'],
    ),
    [null, 'object'],
    [7, 'number'],
  ])('that a header can’t hold throws, and is not repeated: %j', async (unfit, got) => {
    const { fetch, requests } = inMemory()
    const refreshed = (refused?: string) => (refused ? unfit : 'expired') as string
    for (const token of [unfit as string, () => unfit as string, refreshed]) {
      const error = await rejectionOf((async () => clientOf({ fetch, token }).listPage())())
      const message = `token must be header text without "Bearer "; got ${got}`
      expect(error).toEqual(new TypeError(message))
      expect(inspect(error)).not.toContain('cret')
    }
    expect(requests).toHaveLength(1)
  })

  it('that rejects fails the call with the same error', async () => {
    const { fetch } = inMemory()
    const signedOut = new Error('signed out')
    const token = () => Promise.reject(signedOut)
    await expect(clientOf({ fetch, token }).listPage()).rejects.toBe(signedOut)
    const forgetful = clientOf({ fetch, token: () => undefined as never })
    await expect(forgetful.listPage()).rejects.toThrow('got undefined')
  })
})

describe('a signal', () => {
  it.each(calls)('that is aborted keeps %s from sending anything', async (_, call) => {
    const { fetch, requests } = inMemory()
    await expect(call({ fetch }, AbortSignal.abort('reason'))).rejects.toBe('reason')
    expect(requests).toEqual([])
  })

  it.each(calls)('ends %s over the network', async (_, call) => {
    const controller = new AbortController()
    const reason = new Error('reason')
    const closed = Promise.withResolvers<void>()
    const { url: baseUrl } = await listening((request) => {
      request.socket.once('close', () => closed.resolve())
      controller.abort(reason)
    })
    await expect(call({ baseUrl }, controller.signal)).rejects.toBe(reason)
    await closed.promise
  })

  it('that is aborted while the token is awaited keeps the request from being sent', async () => {
    const { fetch, requests } = inMemory()
    const controller = new AbortController()
    const token = Promise.withResolvers<string>()
    const client = clientOf({ fetch, token: () => token.promise })
    const created = client.create({ id: 1n, name: 'Fern' }, { signal: controller.signal })
    controller.abort('reason')
    await expect(created).rejects.toBe('reason')
    token.resolve('s3cret')
    await new Promise((resolve) => setTimeout(resolve))
    expect(requests).toEqual([])
  })

  it.each(calls)('that is long-lived keeps no listener of %s', async (_, call) => {
    const { signal } = new AbortController()
    const { url: baseUrl } = await listening(({ method }, response) => {
      if (method === 'DELETE') response.writeHead(204).end()
      else response.end(method === 'GET' ? '[]' : '{"name":"Fern"}')
    })
    const { url: broken } = await listening((_, response) => response.destroy())
    for (let count = 0; count < 20; count++) {
      await call({ baseUrl }, signal)
      await failureOf(call({ baseUrl: broken }, signal))
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends a list between two pages', async () => {
    const { client } = await withPlants(4)
    const controller = new AbortController()
    const plants = client.list({ limit: 2, signal: controller.signal })[Symbol.asyncIterator]()
    for (let i = 0; i < 2; i++) await plants.next()
    controller.abort('reason')
    await expect(plants.next()).rejects.toBe('reason')
  })
})
