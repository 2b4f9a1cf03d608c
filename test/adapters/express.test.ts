import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import express from 'express'
import express4 from 'express4'
import { describe, expect, it, vi } from 'vitest'
import { toExpressHandler } from '../../adapters/express.ts'
import { createPlantStore, errors, type PlantStoreOptions } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listening } from '../shared/listening.ts'
import { create, read } from '../shared/plants.ts'

const BEYOND_DOUBLES = '{"id":9007199254740993,"name":"Monstera"}'

function setUp(options: PlantStoreOptions = {}) {
  const storage = memoryStorage()
  const store = createPlantStore(storage, () => ({ owner: 'alice' }), { onError() {}, ...options })
  const ids = () => storage.list('alice', { limit: 100 }).map(({ id }) => id)
  return { handler: toExpressHandler(store), ids }
}

describe.each([
  ['5', express],
  ['4', express4],
])('toExpressHandler in Express %s', (_version, express) => {
  /** Serves an app of these handlers. */
  const serving = (...handlers: express.Handler[]) => listening(express().use(...handlers))

  it('serves the URL that the request had when the handler was called', async () => {
    const { handler } = setUp()
    const { url } = await serving((request, response, next) => {
      const { url } = request
      request.url = '/plants'
      handler(request, response, next)
      request.url = url
    })
    expect((await read(`${url}/elsewhere`)).status).toBe(200)
  })

  it.each([
    ['a JSON parser', express.json(), [7n]],
    ['a JSON parser that keeps the bytes', keepingParser(express), [9007199254740993n, 7n]],
    ['a JSON parser that keeps the text', keepingParser(express, 'utf8'), [9007199254740993n, 7n]],
    ['a raw parser', express.raw({ type: '*/*' }), [9007199254740993n, 7n]],
    ['a text parser', express.text({ type: '*/*' }), [9007199254740993n, 7n]],
    ['a form parser', express.urlencoded({ extended: true }), [9007199254740993n, 7n]],
  ])('behind %s never stores a wrong id', async (_parser, parser, taken) => {
    const { handler, ids } = setUp()
    const { url } = await serving(parser, handler)

    const exact = await create(url, BEYOND_DOUBLES)
    if (taken.includes(9007199254740993n)) {
      expect(exact.status).toBe(200)
    } else {
      expect([exact.status, await exact.json()]).toEqual([
        400,
        {
          error: errors.invalid_plant.error,
          message: expect.stringContaining('mount the store before the parser'),
        },
      ])
    }
    expect((await create(url, '{"id":7.0,"name":"Pothos"}')).status).toBe(200)
    expect((await create(url, '{"id":7.5,"name":"Pothos"}')).status).toBe(400)
    expect((await create(url, '{"id":8}')).status).toBe(400)
    expect((await create(url, '[]')).status).toBe(400)
    expect((await create(url, '')).status).toBe(400)
    expect(ids()).toEqual(taken.toSorted((a, b) => Number(a - b)))
  })

  it('behind a parser accepts a body that the parser has unzipped', async () => {
    const { handler, ids } = setUp()
    const app = express()
    app.use('/parsed', express.json(), handler)
    app.use('/raw', express.raw({ type: '*/*' }), handler)
    app.use(handler)
    const { url } = await listening(app)

    const zipped = gzipSync('{"id":7,"name":"Pothos"}')
    const headers = { 'content-encoding': 'gzip' }
    expect((await create(`${url}/parsed`, zipped, headers)).status).toBe(200)
    expect((await create(`${url}/raw`, zipped, headers)).status).toBe(400)
    expect((await create(url, zipped, headers)).status).toBe(415)
    expect(ids()).toEqual([7n])
  })

  it('behind a parser that has turned it into a value applies its limit to the size of a body', async () => {
    const body = '{"id":7,"name":"ääääääääää","tag":"aaaaa"}'
    const { handler } = setUp({ maxBodyBytes: Buffer.byteLength(body) - 1 })
    const { url } = await serving(express.json(), handler)
    expect((await create(url, body)).status).toBe(413)
    expect((await create(url, body.replace('aaaaa', 'aaaa'))).status).toBe(200)
  })

  it.each([
    ['a raw parser', express.raw({ type: '*/*' })],
    ['a text parser', express.text({ type: '*/*' })],
  ])('behind %s limits the size of what it has unzipped', async (_parser, parser) => {
    const { handler } = setUp({ maxBodyBytes: 200 })
    const { url } = await serving(parser, handler)
    const send = (name: string) =>
      create(url, gzipSync(`{"id":7,"name":"${name}"}`), { 'content-encoding': 'gzip' })
    expect((await send('ä'.repeat(95))).status).toBe(413)
    expect((await send('ä'.repeat(50))).status).toBe(200)
  })

  it.each([
    ['POST', '/other'],
    ['PUT', '/other'],
    ['PATCH', '/plants/7/8'],
    ['DELETE', '/other'],
  ])(
    'leaves the body of a %s to the routes of the app, beside a listener in front',
    async (method, path) => {
      const { handler } = setUp()
      let seen = ''
      const { url } = await serving(
        (request, _response, next) => {
          request.on('data', (chunk) => (seen += chunk))
          next()
        },
        handler,
        express.json(),
        (request, response) => void response.json(request.body),
      )
      const response = await fetch(new URL(path, url), {
        ...{ method, body: '{"a":1}', headers: { 'content-type': 'application/json' } },
      })
      expect([response.status, await response.json()]).toEqual([200, { a: 1 }])
      expect(seen).toBe('{"a":1}')
    },
  )

  it('responds with 500 where a wrapper of the app rejects with nothing', async () => {
    const { url } = await serving(toExpressHandler({ handle: () => Promise.reject() }))
    expect((await read(url)).status).toBe(500)
  })

  it('leaves a request that the app has answered first', async () => {
    const onResponse = vi.fn()
    const { handler, ids } = setUp({ onResponse })
    const handled = Promise.withResolvers<void>()
    const { url } = await serving((request, response) => {
      const next = () => void handler(request, response, handled.reject).then(handled.resolve)
      response.once('close', next).status(503).end()
    })
    expect((await create(url, '{"id":7,"name":"Pothos"}')).status).toBe(503)
    await handled.promise
    expect(ids()).toEqual([])
    expect(onResponse).not.toHaveBeenCalled()
  })
})

/** The idiom of those who check signatures. */
function keepingParser(express: typeof import('express'), encoding?: BufferEncoding) {
  return express.json({
    verify: (request, _response, bytes) =>
      Object.assign(request, { rawBody: encoding ? bytes.toString(encoding) : foreign(bytes) }),
  })
}

/** The bytes as another realm's Uint8Array, as in a DOM for tests. */
function foreign(bytes: Buffer): Uint8Array {
  return runInNewContext('Uint8Array.from(numbers)', { numbers: [...bytes] })
}
