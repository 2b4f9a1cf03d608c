import { EventEmitter, once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import Hapi from '@hapi/hapi'
import express from 'express'
import express4 from 'express4'
import { toFetchResponse, toReqRes } from 'fetch-to-node'
import { inject } from 'light-my-request'
import { fetchNodeRequestHandler } from 'node-mock-http'
import { createMocks } from 'node-mocks-http'
import serverless from 'serverless-http'
// @ts-expect-error It has no types of its own.
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import { toExpressHandler } from '../../../adapters/express.ts'
import { toNodeHandler } from '../../../adapters/node.ts'
import type { PlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { HEADERS as headers, plants } from '../../shared/plants.ts'

type Answer = [status: number, body: string]
type Call = (method: string, path: string, body?: string) => Promise<Answer>

/** Ways to call a handler of Node inside its process. Most have no connection. */
const CALLERS: Record<string, (store: PlantStore) => Call> = {
  // Nuxt's useFetch during server rendering, and $fetch in a route of Nitro 2.
  'node-mock-http': (store) => async (method, path, body) => {
    const handler = toNodeHandler(store) as Parameters<typeof fetchNodeRequestHandler>[0]
    const response = await fetchNodeRequestHandler(handler, path, { method, headers, body })
    return [response.status, await response.text()]
  },
  'inject of Hapi': (store) => {
    const handler = toNodeHandler(store)
    const app = Hapi.server()
    app.route({
      method: '*',
      path: '/{path*}',
      options: { payload: { parse: false, output: 'stream' } },
      handler({ raw }, h) {
        handler(raw.req, raw.res)
        return h.abandon
      },
    })
    return async (method, url, payload) => {
      const options = { method, url, headers, ...(payload && { payload }) }
      const { statusCode, payload: answer } = await app.inject(options)
      return [statusCode, answer]
    }
  },
  'light-my-request': (store) => async (method, url, payload) => {
    const options = { method: method as 'GET', url, headers, ...(payload && { payload }) }
    const answer = await inject(toNodeHandler(store) as never, options)
    return [answer.statusCode, answer.payload]
  },
  'node-mocks-http, a parsed body': mocked((store) => (request, response) => {
    void toExpressHandler(store)(request as never, response as never, () => {})
  }),
  // Express makes it an IncomingMessage without the state of a stream, whose getters throw.
  'node-mocks-http, in Express': mocked((store) => express().use(toExpressHandler(store)) as never),
  'node-mocks-http, in Express 4': mocked(
    (store) => express4().use(toExpressHandler(store)) as never,
  ),
  'node-mocks-http, a body by events': (store) => async (method, url, body) => {
    const { req, res } = createMocks({ method: method as 'GET', url, headers })
    Object.assign(req, { body: undefined })
    const handled = toExpressHandler(store)(req as never, res as never, () => {})
    if (body) setTimeout(() => req.send(body), 20)
    await handled
    return [res.statusCode, res._getData() || Buffer.concat(res._getChunks()).toString()]
  },
  supertest: (store) => async (method, path, body) => {
    const agent = request(createServer(toNodeHandler(store))) as any
    const answer = await agent[method.toLowerCase()](path).set(headers).send(body)
    return [answer.status, answer.text]
  },
  'serverless-http': (store) => async (httpMethod, path, body) => {
    const call = serverless(express().use(toExpressHandler(store)))
    const [url, query] = path.split('?')
    const event = { httpMethod, path: url, headers, body, requestContext: {} }
    const parameters = Object.fromEntries(new URLSearchParams(query))
    const answer: any = await call({ ...event, queryStringParameters: parameters }, {})
    return [answer.statusCode, answer.body]
  },
  'fetch-to-node': (store) => async (method, path, body) => {
    const { req, res } = toReqRes(new Request(`http://a${path}`, { method, headers, body }))
    toNodeHandler(store)(req, res)
    const response = await toFetchResponse(res)
    return [response.status, await response.text()]
  },
}

/** Calls a listener with a request and a response of node-mocks-http. */
function mocked(listenerOf: (store: PlantStore) => (request: unknown, response: unknown) => void) {
  return (store: PlantStore): Call =>
    async (method, url, body) => {
      const { req, res } = createMocks(
        { method: method as 'GET', url, headers, ...(body && { body: JSON.parse(body) }) },
        { eventEmitter: EventEmitter },
      )
      const ended = once(res, 'end')
      listenerOf(store)(req, res)
      await ended
      return [res.statusCode, res._getData() || Buffer.concat(res._getChunks()).toString()]
    }
}

describe.each(Object.entries(CALLERS))('A request of %s', (_, callerOf) => {
  it('is answered, with a body and without, as a text and as a stream', async () => {
    const storage = memoryStorage()
    for (let id = 1n; id <= 300n; id++) await storage.create('alice', { id, name: 'Fern' })
    const call = callerOf(plants({}, storage))
    const plant = '{"id":301,"name":"Aloe"}'
    expect(await call('POST', '/plants', plant)).toEqual([200, '{"name":"Aloe"}'])
    const [duplicate, taken] = await call('POST', '/plants', plant)
    expect([duplicate, JSON.parse(taken).error]).toEqual([400, 40003])
    expect((await call('POST', '/plants', '{}'))[0]).toBe(400)
    const [status, list] = await call('GET', '/plants')
    expect([status, JSON.parse(list)]).toMatchObject([200, { length: 301 }])
    expect(await call('GET', '/plants?limit=1')).toEqual([
      200,
      expect.stringMatching(/^\[{[^}]*}]$/),
    ])
    expect((await call('DELETE', '/plants/301'))[0]).toBe(204)
    expect((await call('DELETE', '/plants/301'))[0]).toBe(404)
    expect((await call('OPTIONS', '/plants'))[0]).toBe(204)
  })
})

describe('What a test passes in place of a request and a response', () => {
  const plant = '{"id":1,"name":"Aloe"}'
  const create = { method: 'POST', url: '/plants', headers }
  const list = { method: 'GET', url: '/plants', headers }

  /** Runs a handler for a request. The response has no connection, so what is written to it is collected. */
  async function answer(request: object, response: object = new ServerResponse(request as never)) {
    const sent = { status: 0, body: '' }
    await toExpressHandler(plants())(
      request as never,
      Object.assign(response, {
        writeHead(status: number) {
          sent.status = status
        },
        write(part: unknown) {
          sent.body += String(part)
        },
        end(part: unknown = '') {
          sent.body += String(part)
        },
      }) as never,
      (error) => expect.fail(String(error)),
    )
    return [sent.status, sent.body]
  }

  it.each([
    ['no socket', null],
    ['a socket that was never connected', new Socket()],
  ])('may be an IncomingMessage with %s', async (_, socket) => {
    const message = (fields: object) => Object.assign(new IncomingMessage(socket as never), fields)
    expect(await answer(message(list))).toEqual([200, '[]'])
    const request = message(create)
    request.push(plant)
    request.push(null)
    expect(await answer(request)).toEqual([200, '{"name":"Aloe"}'])
  })

  it('may be a plain object, with a body and without', async () => {
    const response = () => new Writable()
    expect(await answer(list, response())).toEqual([200, '[]'])
    const parsed = { ...create, body: { id: 1, name: 'Aloe' } }
    expect(await answer(parsed, response())).toEqual([200, '{"name":"Aloe"}'])
    expect(await answer(create, response())).toEqual([400, expect.stringContaining('40001')])
  })

  it.each([
    ['headers', 401, { headers: undefined, socket: new Socket() }],
    ['a socket that emits events', 200, { socket: {} }],
  ])('may be a stream without %s, which has not ended: %i', async (_, status, fields) => {
    const [sent] = await answer(Object.assign(new PassThrough(), list, fields))
    expect(sent).toBe(status)
  })

  it.each([
    ['a Blob', () => new Blob([plant])],
    ['a web stream', () => new Blob([plant]).stream()],
    ['an ArrayBuffer', () => new TextEncoder().encode(plant).buffer],
  ])('may have %s as its body', async (_, body) => {
    const handler = toNodeHandler(plants()) as Parameters<typeof fetchNodeRequestHandler>[0]
    const options = { method: 'POST', headers, body: body() }
    const response = await fetchNodeRequestHandler(handler, '/plants', options)
    expect([response.status, await response.text()]).toEqual([200, '{"name":"Aloe"}'])
  })

  it('may be so little of a response that nothing can be sent: that is logged, and nothing more', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    await toNodeHandler(plants())(list as never, { once() {} } as never)
    expect(log).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/writeHead is not a function/),
    )
  })

  it('may have members that throw, as those of Next.js: no promise is rejected', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const socket = new Proxy({}, { get: () => expect.fail('Method not implemented') })
    const message = { ...list, httpVersion: '1.0', socket, readableEnded: false }
    await toNodeHandler(plants())(message as never, new Writable() as never)
  })
})
