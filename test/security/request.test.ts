import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { afterAll, describe, expect, it } from 'vitest'
import { toExpressHandler } from '../../adapters/express.ts'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import { type RunningServer, serve } from '../../adapters/node.ts'
import type { AuthVerifier } from '../../src/auth-verifier.ts'
import { createPlantStore } from '../../src/plant-store.ts'
import type { RequestContext } from '../../src/request-context.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listen } from '../shared/listen.ts'
import { sendRaw } from '../shared/wire.ts'

type Look = (request: Request) => unknown
let look: Look = () => {}
const verify: AuthVerifier = async (token, { request }) => {
  await look(request)
  return { owner: token }
}

const store = createPlantStore(memoryStorage(), verify)
const node: RunningServer = await serve(store, { port: 0 })

const fastify = Fastify()
fastify.register(toFastifyPlugin(store))
await fastify.listen({ port: 0 })

const app = express()
app.use(express.json(), toExpressHandler(store))
const behindParser = await listen(app)

const ports = {
  'node:http': node.port,
  Fastify: (fastify.server.address() as AddressInfo).port,
  'Express behind a body parser': behindParser.port,
}
afterAll(async () => {
  await Promise.all([node.close(), fastify.close(), behindParser.close()])
})

const PLANT = { name: 'Monstera', tag: 'indoor' }
let id = 0

/** Creates a plant while the verifier looks at the request, and says what is answered. */
async function create(send: (request: Request) => Promise<Response>, base: string, by: Look) {
  look = by
  const request = new Request(`${base}/plants?x=1`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer alice',
      'content-type': 'application/json',
      DPoP: 'proof',
      'x-client-cert': 'cert',
    },
    body: JSON.stringify({ id: ++id, ...PLANT }),
  })
  const response = await send(request)
  return { status: response.status, body: await response.json() }
}

const ways: [string, (request: Request) => Promise<Response>, string][] = [
  ['fetch', store.fetch, 'http://localhost'],
  ...Object.entries(ports).map(([name, port]): (typeof ways)[number] => [
    name,
    (request) => fetch(request),
    `http://127.0.0.1:${port}`,
  ]),
]

describe.each(ways)('through %s, a verifier with two parameters', (_, send, base) => {
  it('gets a true Request with the headers, method and URL', async () => {
    let seen: Request | undefined
    await create(send, base, (request) => {
      seen = request
    })
    expect(seen).toBeInstanceOf(Request)
    expect(seen!.headers).toBeInstanceOf(Headers)
    expect(seen!.headers.get('DPoP')).toBe('proof')
    expect(seen!.headers.get('X-Client-Cert')).toBe('cert')
    expect(seen!.headers.get('Authorization')).toBe('Bearer alice')
    expect([seen!.method, seen!.url]).toEqual(['POST', `${base}/plants?x=1`])
    expect(seen!.signal.aborted).toBe(false)
  })

  it.each<[string, Look]>([
    ['text', (request) => request.text()],
    ['bytes', (request) => request.arrayBuffer()],
    ['a Blob', (request) => request.blob()],
    ['JSON', (request) => request.json().catch(() => {})],
    ['a form', (request) => request.formData().catch(() => {})],
    ['a clone', (request) => request.clone().text()],
    ['another Request', (request) => new Request(request).text()],
    ['a stream', (request) => request.body?.getReader().read()],
    ['a stream that is cancelled', (request) => request.body?.cancel()],
    ['a stream that stays locked', (request) => void request.body?.getReader()],
    [
      'text, twice',
      async (request) => [await request.text(), await request.text().catch(() => {})],
    ],
  ])('does no harm by reading the body as %s', async (_, by) => {
    expect(await create(send, base, by)).toEqual({ status: 200, body: PLANT })
  })

  it('does no harm by changing the headers', async () => {
    const answer = await create(send, base, (request) => {
      request.headers.set('content-type', 'text/plain')
      request.headers.delete('authorization')
    })
    expect(answer).toEqual({ status: 200, body: PLANT })
  })

  it('finds nothing in the body', async () => {
    let body: string | undefined
    await create(send, base, async (request) => {
      body = await request.text()
    })
    expect(body).toBe('')
  })
})

const ownerOf = (context?: RequestContext) => ({
  owner: context?.request.headers.get('x-owner') ?? '',
})

describe('the request of a verifier', () => {
  it.each<[string, AuthVerifier]>([
    ['two parameters', (_token, context) => ownerOf(context)],
    ['a rest parameter', (...[, context]) => ownerOf(context)],
    ['a default', (_token = '', context?: RequestContext) => ownerOf(context)],
    ['bind', ((_token: string, context: RequestContext) => ownerOf(context)).bind(null)],
  ])('a verifier with %s gets the request', async (_, verify) => {
    const headers = { authorization: 'Bearer t', 'x-owner': 'alice' }
    const request = new Request('http://localhost/plants', { headers })
    expect((await createPlantStore(memoryStorage(), verify).fetch(request)).status).toBe(200)
  })

  it.each([
    'a:99999',
    '[::1',
    'a b',
    'a/../b',
    '@',
    'a@b',
    '%zz',
    'ü',
    '',
    '[::1]:80',
    'x'.repeat(300),
  ])('no Host fails the building of a Request or lets anybody in: %j', async (host) => {
    look = () => {}
    const head = ['GET /plants HTTP/1.1', `Host: ${host}`, 'Connection: close']
    const without = await sendRaw(node.port, [...head, '', ''].join('\r\n'))
    expect([400, 401]).toContain(without.status)
    const allowed = await sendRaw(
      node.port,
      [...head, 'Authorization: Bearer a', '', ''].join('\r\n'),
    )
    expect(allowed.status).toBe(without.status === 401 ? 200 : 400)
  })

  it.each(Object.entries(ports))(
    'two Authorization fields are none through %s',
    async (_, port) => {
      look = () => {}
      const head = [
        'GET /plants HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        'Authorization: Bearer a',
      ]
      const good = await sendRaw(port, [...head, '', ''].join('\r\n'))
      const doubled = await sendRaw(port, [...head, 'Authorization: Bearer b', '', ''].join('\r\n'))
      expect([good.status, doubled.status]).toEqual([200, 401])
    },
  )
})
