import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import {
  createPlantStore,
  type PlantStore,
  type PlantStoreOptions,
  type Reply,
  type ResponseEvent,
  type StoredPlant,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listening } from '../../shared/listening.ts'
import { create, longList, plants, read } from '../../shared/plants.ts'
import { connect, head, post } from '../../shared/wire.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Sends a request on a new connection, and returns the answer. */
async function ask(port: number, request: string) {
  const wire = await connect(port)
  wire.send(request)
  return wire.receive()
}

type Store = Parameters<typeof toNodeHandler>[0]
type Middleware = (request: IncomingMessage, response: ServerResponse) => void

/** Serves a store behind a middleware. */
function serving(store: Store, middleware: Middleware = () => {}) {
  const handler = toNodeHandler(store)
  return listening((request, response) => {
    middleware(request, response)
    handler(request, response)
  })
}

/** Serves a store that keeps the requests that its verifier is shown. */
async function showing(middleware?: Middleware) {
  const seen: Request[] = []
  const store = createPlantStore(memoryStorage(), (_token, { request }) => {
    seen.push(request)
    return { owner: 'alice' }
  })
  return { ...(await serving(store, middleware)), seen }
}

describe('toNodeHandler', () => {
  it('a header that a middleware has set or replaced is seen', async () => {
    const { url } = await serving(plants(), (request, response) => {
      request.headers.authorization = 'Bearer t'
      response.setHeader('x-middleware', 'was here')
    })
    for (const headers of [undefined, { authorization: 'Bearer other' }]) {
      const response = await fetch(`${url}/plants`, { headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-middleware')).toBe('was here')
    }
  })

  it('a header that a middleware has removed or broken is not seen, whatever it is now', async () => {
    const set = {
      ...{ 'x-undefined': undefined, 'x-null': null, 'x-newline': 'a\nb', 'x-cyrillic': 'ключ' },
      ...{ 'x-number': 7, 'x-list': ['a', 8] },
    }
    const { url, seen } = await showing(({ headers }) => void Object.assign(headers, set))
    expect((await read(url)).status).toBe(200)
    const own = [...seen[0]!.headers].filter(([name]) => name.startsWith('x-'))
    expect(Object.fromEntries(own)).toEqual({ 'x-list': 'a, 8', 'x-number': '7' })
  })

  it('a middleware gets the end of a body while the storage works', async () => {
    const storage = { ...memoryStorage(), create: () => new Promise<boolean>(() => {}) }
    const events: string[] = []
    const { port } = await serving(plants({}, storage), (request) => {
      for (const event of ['end', 'close']) request.once(event, () => events.push(event))
    })
    const wire = await connect(port)
    wire.send(post('{"id":1,"name":"Aloe"}'))
    await expect.poll(() => events).toEqual(['end', 'close'])
    wire.socket.destroy()
  })

  it.each(['data', 'end'])(
    'a body of which a middleware has had the event %s is a 500, and only onError learns why',
    async (event) => {
      const errors: unknown[] = []
      const handler = toNodeHandler(plants({ onError: (error) => void errors.push(error) }))
      const { url } = await listening((request, response) => {
        request.once(event, () => handler(request, response)).resume()
      })
      const response = await create(url, '{"id":1,"name":"Aloe"}')
      expect(response.status).toBe(500)
      expect(await response.text()).not.toMatch(/body/)
      const message = expect.stringMatching(/mount/)
      expect(errors).toMatchObject([{ name: 'BodyConsumedError', message }])
    },
  )

  it('the signal of a request is not aborted when its response has been sent', async () => {
    let ended: Promise<unknown> | undefined
    const { url, seen } = await showing((_request, response) => {
      ended = once(response, 'close')
    })
    expect((await read(url)).status).toBe(200)
    await ended
    expect(seen[0]!.signal.aborted).toBe(false)
  })

  it('a middleware whose writeHead throws once gets a 500 in place of a streamed list', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const outcomes: string[] = []
    const onResponse: PlantStoreOptions['onResponse'] = ({ outcome }) => void outcomes.push(outcome)
    const { url } = await serving(plants({ onResponse }, longList(250)), (_, response) => {
      const { writeHead } = response
      response.writeHead = () => {
        response.writeHead = writeHead
        throw new Error('Hook failed')
      }
    })
    const response = await read(url)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: 50001 })
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Hook failed'))
    expect(outcomes).toEqual(['aborted'])
  })

  it('a middleware whose second write throws breaks a streamed list off, and is told', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const list = longList(2000, 'x'.repeat(1000))
    const { url } = await serving(plants({}, list), (_, response) => {
      const { write } = response
      let writes = 0
      response.write = (...part: any[]) => {
        if (writes++ === 1) throw new Error('Hook failed')
        return write.apply(response, part as never)
      }
    })
    await expect(read(url).then((response) => response.text())).rejects.toThrow()
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Hook failed'))
  })

  it.each([1, 250])(
    'leaves it to a timeout of the app to respond first: %i plants',
    async (count) => {
      const log = vi.spyOn(console, 'error').mockReturnValue()
      let timeOut = () => {}
      const storage = longList(count)
      const { list } = storage
      storage.list = async (...call) => {
        timeOut()
        return list(...call)
      }
      const { url } = await serving(plants({}, storage), (_, response) => {
        timeOut = () => response.writeHead(503).end()
      })
      for (let times = 0; times < 2; times++) expect((await read(url)).status).toBe(503)
      expect(log).not.toHaveBeenCalled()
    },
  )

  it('stops reading a body when a timeout of the app responds', async () => {
    const { promise: ended, resolve: onResponse } = Promise.withResolvers<ResponseEvent>()
    const { port } = await serving(plants({ onResponse }), (_, response) => {
      setTimeout(() => response.writeHead(503).end(), 50)
    })
    expect(await ask(port, post('{', 24))).toMatchObject({ status: 503 })
    expect(await ended).toMatchObject({ status: 499 })
  })

  it('reads no body, and reports nothing, if the app responds while its wrapper waits', async () => {
    const { promise: ended, resolve: onResponse } = Promise.withResolvers<ResponseEvent>()
    const onError = vi.fn()
    const store = plants({ onError, onResponse })
    let respond = async () => {}
    const handle: Store['handle'] = async (request) => {
      await respond()
      return store.handle(request)
    }
    const { url } = await serving({ ...store, handle }, (_, response) => {
      respond = async () => {
        response.writeHead(503).end()
        await once(response, 'close')
      }
    })
    expect((await create(url, '{"id":1,"name":"Aloe"}')).status).toBe(503)
    expect(await ended).toMatchObject({ status: 499, outcome: 'aborted' })
    expect(onError).not.toHaveBeenCalled()
  })

  it.each([
    ...['TRACE', 'Connect', 'track', 'PURGE'].map(
      (method) => [method, '/plants', 405, 'localhost/plants'] as const,
    ),
    ['GET', 'http://desert?limit=1', 404, 'desert/?limit=1'],
  ] as const)(
    '%s %s without a Host can be built as a Request',
    async (method, target, status, expected) => {
      const seen: string[] = []
      const { port } = await serving(
        plants({ onResponse: ({ request }) => void seen.push(`${request.method} ${request.url}`) }),
        // Node knows no other methods over HTTP/1.1, but over HTTP/2 any.
        (request) => Object.assign(request, { method }),
      )
      expect(
        await ask(port, `GET ${target} HTTP/1.0\r\nAuthorization: Bearer t\r\n\r\n`),
      ).toMatchObject({ status })
      expect(seen).toEqual([`${method} http://${expected}`])
    },
  )

  // Other hosts build a URL, which resolves dot segments.
  it.each([
    ...['OPTIONS *', 'OPTIONS /plants/..', 'GET /a/../plants', 'GET /plants%zz'],
    ...['.', '..', '%2e', '%2E.', '.%2e'].map((segment) => `DELETE /plants/${segment}`),
  ])('has no route for a target that Node shows as it was sent: %s', async (line) => {
    const { port } = await serving(plants())
    const answer = await ask(port, head(line))
    expect([answer!.status, JSON.parse(answer!.body)]).toMatchObject([404, { error: 40402 }])
  })

  it.each<[string, number, (request: IncomingMessage) => void]>([
    ['pauses it', 200, (request) => request.pause()],
    ['decodes it', 200, (request) => request.setEncoding('utf8')],
    ['takes it', 500, (request) => request.on('readable', () => {})],
    ['listens to it', 200, (request) => request.on('data', () => {})],
    ['hashes it', 200, (request) => request.pipe(createHash('sha256'))],
  ])('a body behind a middleware that %s: %i', async (_, status, middleware) => {
    const { url } = await serving(plants({ onError() {} }), middleware)
    for (const id of [1, 2]) {
      const json = JSON.stringify({ id, name: 'Aloe' })
      // As a string it has a length, and as a stream it comes in chunks.
      const body = id === 1 ? json : new Blob([json]).stream()
      expect((await create(url, body)).status).toBe(status)
    }
  })

  it('a body that something begins to take after the store is 500, before it has come', async () => {
    const handler = toNodeHandler(plants({ onError() {} }))
    const { port } = await listening((request, response) => {
      handler(request, response)
      request.on('readable', () => {})
    })
    expect(await ask(port, post('', 22))).toMatchObject({ status: 500 })
  })

  it('a request under fake timers gets a response, and does not block later ones', async () => {
    const { url } = await serving(plants())
    vi.useFakeTimers({ toFake: ['setImmediate'] })
    try {
      expect((await read(url)).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
    expect((await read(url)).status).toBe(200)
  })

  it('a storage runs in the context of its own request, however many come at once', async () => {
    const context = new AsyncLocalStorage<string>()
    const seen: [context: string | undefined, name: string][] = []
    const storage = {
      ...memoryStorage(),
      create(_owner: string, { name }: StoredPlant) {
        seen.push([context.getStore(), name])
        return true
      },
    }
    const handler = toNodeHandler(plants({}, storage))
    const { url } = await listening((request, response) => {
      context.run(String(request.headers['x-name']), () => handler(request, response))
    })
    const names = Array.from({ length: 20 }, (_, i) => `Aloe ${i}`)
    await Promise.all(
      names.map((name, id) => create(url, JSON.stringify({ id, name }), { 'x-name': name })),
    )
    expect(seen).toHaveLength(names.length)
    for (const [own, name] of seen) expect(own).toBe(name)
  })

  describe('a verifier that asks for the Request', () => {
    it('gets its method, URL and headers', async () => {
      // Cache-Control is as long as Authorization.
      const fields = ['Cookie: a=1', 'Cookie: b=2', 'Cache-Control: no-cache']
      const { port, seen } = await showing()
      const request = head('GET /plants?limit=1', ...fields, 'X-Two: 1', 'X-Two: 2')
      expect(await ask(port, request.replace('garden', 'garden:81'))).toMatchObject({ status: 200 })
      const { method, url, headers, body } = seen[0]!
      expect([method, url, body]).toEqual(['GET', 'http://garden:81/plants?limit=1', null])
      expect(Object.fromEntries(headers)).toEqual({
        host: 'garden:81',
        authorization: 'Bearer t',
        'cache-control': 'no-cache',
        cookie: 'a=1; b=2',
        'x-two': '1, 2',
      })
    })

    it.each<[string, string, string]>([
      ['/plants', 'GARDEN:80', 'http://garden/plants'],
      ['/plants', '[::1]:', 'http://[::1]/plants'],
      ['/plants', 'a,b', 'http://a,b/plants'],
      ...['', 'garden:99999', 'garden:8:8', 'u:p@garden', 'garden/x', '[::1'].map(
        (host): [string, string, string] => ['/plants', host, 'http://localhost/plants'],
      ),
      ['HTTP://[::1]:8/plants?limit=1', 'garden', 'http://[::1]:8/plants?limit=1'],
      ['HTTPS://Desert:443/plants', 'garden', 'https://desert/plants'],
      ['http://u:p@desert/plants', 'garden', 'http://localhost/'],
      ['http://desert:99999/plants', 'garden', 'http://localhost/'],
      ['ftp://desert/plants?http://garden', 'garden', 'http://localhost/'],
    ])('gets a URL whatever the target and the Host: %s, %s', async (target, host, expected) => {
      const { port, seen } = await showing()
      const request = head(`GET ${target}`).replace('Host: garden', `Host: ${host}`)
      expect(await ask(port, request)).toMatchObject({ status: 200 })
      expect(seen[0]!.url).toBe(expected)
    })

    it('learns that the client has disconnected', async () => {
      const asked = Promise.withResolvers<void>()
      const aborted = Promise.withResolvers<void>()
      const store = createPlantStore(memoryStorage(), async (_token, { request }) => {
        request.signal.addEventListener('abort', () => aborted.resolve())
        asked.resolve()
        await aborted.promise
        return null
      })
      const wire = await connect((await serving(store)).port)
      wire.send(head('GET /plants'))
      await asked.promise
      wire.socket.destroy()
      await aborted.promise
    })
  })

  describe('an app that wraps handle', () => {
    const wrapped = (handle: PlantStore['handle']) => serving({ ...plants(), handle })

    const parts = {
      [Symbol.asyncIterator]() {
        throw new Error('Not iterable')
      },
    }
    // biome-ignore lint/correctness/useYield: it fails before its first part.
    async function* failing() {
      throw new Error('Not readable')
    }
    it.each<[string, () => unknown]>([
      ['throws', () => Promise.reject(new Error('Wrapper broken'))],
      ['answers with an invalid header', async () => ({ headers: { a: 'b\nc' }, body: '' })],
      ['answers with a number for a body', async () => ({ headers: {}, body: 7 })],
      ['answers with bytes', async () => ({ headers: {}, body: new Uint8Array(3) })],
      ['answers with parts that cannot be iterated', async () => ({ headers: {}, body: parts })],
      ['answers with a first part that fails', async () => ({ headers: {}, body: failing() })],
    ])('and %s gets a 500 and a line on the console', async (_, answer) => {
      const log = vi.spyOn(console, 'error').mockReturnValue()
      const reply = async () => ({ status: 200, ...((await answer()) as object) }) as Reply
      const { url } = await wrapped(reply)
      const response = await read(url)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ error: 50001 })
      expect(log).toHaveBeenCalledOnce()
    })

    it('may return null where there is no route', async () => {
      const { url } = await wrapped(async () => null as never)
      expect((await read(url)).status).toBe(404)
    })

    it('may return a body of the barest iterator, also to a client that disconnects', async () => {
      const log = vi.spyOn(console, 'error').mockReturnValue()
      let isEndless = true
      const next = async () => (isEndless ? { value: 'a' } : { done: true })
      const body = { [Symbol.asyncIterator]: () => ({ next }) } as never
      const { url, port } = await wrapped(async () => ({ status: 200, headers: {}, body }))
      const wire = await connect(port)
      wire.send(head('GET /plants'))
      await once(wire.socket, 'data')
      wire.socket.destroy()
      await vi.waitFor(() => expect(wire.socket.closed).toBe(true))
      isEndless = false
      expect(await (await read(url)).text()).toBe('')
      expect(log).not.toHaveBeenCalled()
    })

    it('may answer with one frozen reply again and again', async () => {
      const headers = Object.freeze({ location: '/' })
      const reply = Object.freeze({ status: 302, headers, body: null })
      const { url } = await wrapped(async () => reply)
      for (const method of ['GET', 'HEAD']) {
        const response = await fetch(`${url}/docs`, { method, redirect: 'manual' })
        expect([response.status, response.headers.get('location')]).toEqual([302, '/'])
      }
    })

    it('may return a body for HEAD, which is not written', async () => {
      const answer = async () => ({ status: 200, headers: {}, body: 'docs' })
      const handler = toNodeHandler({ ...plants(), handle: answer })
      const { url } = await listening(createServer({ rejectNonStandardBodyWrites: true }, handler))
      const { status, headers } = await fetch(`${url}/docs`, { method: 'HEAD' })
      expect([status, headers.get('content-length')]).toEqual([200, '4'])
    })

    it('is asked for no part of a body when the client has disconnected', async () => {
      const next = vi.fn()
      const ended = Promise.withResolvers<void>()
      const parts = { next, return: async () => ended.resolve() }
      let closed: Promise<unknown>
      async function handle() {
        wire.socket.resetAndDestroy()
        await closed
        return { status: 200, headers: {}, body: { [Symbol.asyncIterator]: () => parts } } as never
      }
      const { port } = await serving({ ...plants(), handle }, (_, response) => {
        closed = once(response, 'close')
      })
      const wire = await connect(port)
      wire.send(head('GET /plants'))
      await ended.promise
      expect(next).not.toHaveBeenCalled()
    })
  })
})
