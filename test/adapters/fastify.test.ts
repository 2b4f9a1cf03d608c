import { PassThrough, pipeline, type Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import {
  createPlantStore,
  errors,
  type PlantStorage,
  type PlantStoreOptions,
  type ResponseEvent,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { create, HEADERS, longList, plants, read } from '../shared/plants.ts'
import { connect, head, post } from '../shared/wire.ts'

const PLANT = '{"id":9007199254740993,"name":"Monstera"}'

const makeStore = (options?: PlantStoreOptions, storage?: PlantStorage) =>
  plants({ onError() {}, ...options }, storage)

/** Listens with the plugin, and returns the URL of the app. */
async function serving(app: FastifyInstance<any, any, any>, store = makeStore(), prefix = '') {
  app.register(toFastifyPlugin(store), { prefix })
  onTestFinished(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** Listens with the plugin, and opens a connection. */
async function connectTo(app: FastifyInstance, store = makeStore()) {
  return connect(Number(new URL(await serving(app, store)).port))
}

describe('The Fastify plugin', () => {
  it('keeps the connection of a request without a route, whose body somebody listens to', async () => {
    const app = Fastify()
    let seen = 0
    app.addHook('onRequest', async ({ raw }) => void raw.on('data', () => seen++))
    const wire = await connectTo(app)
    for (let times = 1; times <= 2; times++) {
      wire.send(head('PUT /plants/7/8', 'Content-Length: 2'))
      expect(await wire.receive()).toMatchObject({ status: 404 })
      wire.send('{}')
      await vi.waitFor(() => expect(seen).toBe(times))
    }
  })

  it('works under a prefix, including nested prefixes and prefixes with parameters', async () => {
    const app = Fastify()
    for (const prefix of ['/api/v1', '/tenants/:tenant', '/gärten/']) {
      app.register(toFastifyPlugin(makeStore()), { prefix })
    }
    app.register(async (outer) => outer.register(toFastifyPlugin(makeStore()), { prefix: '/in' }), {
      prefix: '/out',
    })
    const url = await serving(app, makeStore(), '/')

    for (const path of ['/api/v1', '/tenants/a%2Fb', '/g%C3%A4rten', '', '/out/in']) {
      expect((await create(url + path, PLANT)).status).toBe(200)
      const response = await fetch(`${url}${path}/plants/9007199254740993?a=/b/c`, {
        method: 'DELETE',
        headers: HEADERS,
      })
      expect(response.status).toBe(204)
    }
  })

  it('answers where a hook has broken off the body, which Node takes for an aborted request', async () => {
    const app = Fastify()
    app.addHook('preParsing', async (_request, _reply, payload) => {
      for await (const _ of payload) break
    })
    const wire = await connectTo(app)
    wire.send(post('{}').replace('POST', 'OPTIONS'))
    expect(await wire.receive()).toMatchObject({ status: 204 })
  })

  it('ends the list that a hook replaces, or fails, and sends what an error handler answers then', async () => {
    const outcomes: string[] = []
    const onResponse: PlantStoreOptions['onResponse'] = ({ outcome }) => void outcomes.push(outcome)
    const app = Fastify()
    app.addHook('onSend', async ({ url }, reply, payload) => {
      if (!url.endsWith('fails')) return 'replaced'
      // The error of the hook itself comes by here too.
      if (reply.statusCode === 200) throw new Error('The hook is broken')
      return payload
    })
    app.setErrorHandler(({ message }: Error, _, reply) => reply.code(503).send({ message }))
    const url = await serving(app, makeStore({ onResponse }, longList(500)))
    expect(await (await read(url)).text()).toBe('replaced')
    const failed = await fetch(`${url}/plants?fails`, { headers: HEADERS })
    expect([failed.status, await failed.json()]).toEqual([503, { message: 'The hook is broken' }])
    await expect.poll(() => outcomes).toEqual(['aborted', 'aborted'])
  })

  it('says that the prefix takes the place of the store’s basePath', async () => {
    const app = Fastify()
    app.register(toFastifyPlugin(makeStore({ basePath: '/api' })), { prefix: '/api' })
    for (const url of ['/api/plants', '/api/plants?limit=1']) {
      const response = await app.inject(url)
      expect([response.statusCode, response.json().message]).toEqual([
        500,
        "Pass the path as the plugin's prefix, not as the store's basePath",
      ])
    }
  })

  it("passes on to the app's error handler what a wrapper throws", async () => {
    const seen = vi.fn((_error: Error, _request, reply) => reply.code(500).send('caught'))
    const app = Fastify()
    app.setErrorHandler(seen)
    const error = new Error('wrapped')
    app.register(toFastifyPlugin({ handle: () => Promise.reject(error) }))
    const response = await app.inject('/plants')
    expect([response.statusCode, response.body]).toEqual([500, 'caught'])
    expect(seen).toHaveBeenCalledExactlyOnceWith(error, expect.anything(), expect.anything())
  })

  it('hides its routes from a document that @fastify/swagger makes of the app', async () => {
    const app = Fastify()
    const hidden: unknown[] = []
    app.addHook('onRoute', ({ schema }) => void hidden.push(Object(schema).hide))
    app.register(toFastifyPlugin(makeStore()))
    await app.ready()
    expect(new Set(hidden)).toEqual(new Set([true]))
  })

  it("leaves the app's own parsing, limit and 404 as they are", async () => {
    const app = Fastify({ bodyLimit: 10 })
    app.setNotFoundHandler((request, reply) => reply.code(404).send(`nothing at ${request.url}`))
    app.post('/echo', (request, reply) => reply.send(request.body))
    const url = await serving(app, makeStore(), '/api')

    expect((await create(`${url}/api`, PLANT)).status).toBe(200)
    const untyped = await create(`${url}/api`, PLANT, { 'content-type': '' })
    expect((await untyped.json()).error).toBe(errors.unsupported_media_type.error)
    const echo = (body: string) => fetch(`${url}/echo`, { method: 'POST', body, headers: HEADERS })
    expect(await (await echo('{"a":1}')).json()).toEqual({ a: 1 })
    expect((await echo(PLANT)).status).toBe(413)
    for (const path of ['/api', '/api/plants/', '/api/plants/7/leaves', '/plants']) {
      expect(await (await fetch(url + path)).text()).toBe(`nothing at ${path}`)
    }
  })

  it('lets hooks refuse, add headers, and see what is sent', async () => {
    const app = Fastify()
    const seen: unknown[] = []
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-garden', 'north')
      if (request.headers['x-banned']) reply.code(403).send('banned')
    })
    app.addHook('preHandler', async (request) => {
      seen.push(request.headers['content-type'])
    })
    app.addHook('onSend', async (_request, reply, payload) => {
      seen.push([reply.statusCode, reply.getHeader('content-type'), payload])
    })
    app.addHook('onResponse', async (_request, reply) => {
      seen.push(reply.statusCode)
    })
    const url = await serving(app, makeStore(), '/api')

    const response = await create(`${url}/api`, PLANT)
    expect(response.headers.get('x-garden')).toBe('north')
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(seen).toEqual([
      'application/json',
      [200, 'application/json', '{"name":"Monstera"}'],
      200,
    ])
    const remove = { method: 'DELETE', headers: HEADERS }
    expect((await fetch(`${url}/api/plants/9007199254740993`, remove)).status).toBe(204)
    expect(seen.slice(-2)).toEqual([[204, undefined, undefined], 204])
    expect((await create(`${url}/api`, PLANT, { 'x-banned': '1' })).status).toBe(403)
  })

  it('reads what a preParsing hook has made of the body', async () => {
    const app = Fastify()
    app.addHook('preParsing', async (_request, _reply, payload) =>
      payload.pipe(new PassThrough({ highWaterMark: 1000 })),
    )
    const url = await serving(app, makeStore({ maxBodyBytes: 100_000 }))
    expect((await create(url, PLANT)).status).toBe(200)
    const large = (bytes: number) => `{"id":7,"name":"${'x'.repeat(bytes)}"}`
    expect((await create(url, large(99_000))).status).toBe(200)
    expect((await create(url, large(100_000))).status).toBe(413)
    expect((await create(url, '')).status).toBe(400)
    expect((await read(url)).status).toBe(200)
  })

  it('is not ended by a preParsing hook’s body that fails when it has been refused', async () => {
    const app = Fastify()
    const body = new PassThrough()
    app.addHook('preParsing', async () => body)
    const url = await serving(app)
    expect((await create(url, PLANT, { authorization: 'Bearer x' })).status).toBe(401)
    // Not once() of node:events, which listens to errors.
    const closed = new Promise((resolve) => body.once('close', resolve))
    body.destroy(new Error('This is not gzip'))
    await closed
  })

  it('answers 400 where a hook has taken the body away', async () => {
    const app = Fastify()
    app.addHook('preValidation', async (request) => {
      request.body = null
    })
    app.register(toFastifyPlugin(makeStore()))
    const response = await app.inject({ method: 'POST', url: '/plants', headers: HEADERS })
    expect(response.statusCode).toBe(400)
  })

  it('lets a hook read the bytes of a streamed list', async () => {
    const app = Fastify()
    app.addHook('onSend', async (_request, _reply, payload) =>
      Buffer.concat(await (payload as Readable).toArray()),
    )
    const url = await serving(app, makeStore({}, longList(200, 'Männertreu')))
    const list = await read(url)
    expect(await list.json()).toEqual(Array(200).fill({ name: 'Männertreu' }))
  })

  it.each(['before', 'while'])(
    'creates nothing for a client that disconnects %s the store reads a preParsing hook’s body',
    async (time) => {
      const app = Fastify()
      const gone = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<ResponseEvent>()
      const verify = async () => {
        setTimeout(() => wire.socket.destroy(), 100)
        if (time === 'before') await gone.promise
        return { owner: 'alice' }
      }
      app.addHook('preParsing', async (request, _reply, payload) => {
        request.raw.once('close', gone.resolve)
        return payload.pipe(new PassThrough())
      })
      const storage = memoryStorage()
      const store = createPlantStore(storage, verify, { onResponse: ended.resolve })
      const wire = await connectTo(app, store)
      wire.send(post(PLANT, 100))
      expect(await ended.promise).toMatchObject({ outcome: 'aborted', status: 499 })
      expect(storage.list('alice', { limit: 1 })).toEqual([])
    },
  )

  it.each<[string, (payload: Readable) => Readable]>([
    ['pipe()', (payload) => payload.pipe(new PassThrough())],
    ['pipeline()', (payload) => pipeline(payload, new PassThrough(), () => {})],
  ])(
    'responds to a client that keeps sending a rejected body behind %s of a hook',
    async (_, hook) => {
      const app = Fastify()
      app.addHook('preParsing', async (_request, _reply, payload) => hook(payload as Readable))
      const wire = await connectTo(app, makeStore({ maxBodyBytes: 1000 }))
      const fields = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
      wire.send(head('POST /plants', ...fields))
      for (let i = 0; i < 100; i++) wire.send(`2710\r\n${'x'.repeat(10_000)}\r\n`)
      wire.send('0\r\n\r\n')
      wire.send(head('GET /plants', 'Connection: close'))
      const refusal = await wire.receive()
      expect(refusal).toMatchObject({ status: 413 })
      expect(JSON.parse(refusal!.body)).toMatchObject({ error: 41301 })
      expect(await wire.receive()).toMatchObject({ status: 200 })
      expect(await wire.receive()).toBeNull()
    },
  )
})
