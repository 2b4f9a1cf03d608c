import type { RequestListener, Server } from 'node:http'
import { H3, toNodeHandler as toH3Listener } from 'h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlantStore, errors } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listen } from '../shared/listen.ts'
import { listening } from '../shared/listening.ts'
import { connect } from '../shared/wire.ts'
import { checkAgainstDocument } from '../src/openapi/conformance.ts'
import * as astro from './mounts/astro.ts'
import { handler as lambda } from './mounts/aws-lambda.ts'
import { app as elysia } from './mounts/elysia.ts'
import { app as express } from './mounts/express.ts'
import { app as express4 } from './mounts/express4.ts'
import { app as fastify } from './mounts/fastify.ts'
import { app as h3 } from './mounts/h3.ts'
import { app as h3OnNode } from './mounts/h3-node.ts'
import { app as hono } from './mounts/hono.ts'
import { app as itty } from './mounts/itty-router.ts'
import { app as koa } from './mounts/koa.ts'
import { app as nest } from './mounts/nest.ts'
import * as next from './mounts/next.ts'
import { server as node } from './mounts/node.ts'
import * as svelteKit from './mounts/sveltekit.ts'

type Send = (request: Request) => Response | Promise<Response>

/** Hosts that are called with a Request, as their runtime calls them. */
const fetchHosts: Record<string, Send> = {
  Hono: (request) => hono.fetch(request),
  h3: (request) => h3.fetch(request),
  Elysia: (request) => elysia.fetch(request),
  'itty-router': (request) => itty.fetch(request),
  'Next.js': inDirectory((request) => {
    const handler = (next as Partial<Record<string, Send>>)[request.method]
    return handler?.(request) ?? new Response(null, { status: 405 })
  }),
  SvelteKit: inDirectory((request) => svelteKit.fallback({ request })),
  Astro: inDirectory((request) => astro.ALL({ request })),
  'AWS Lambda': callLambda,
}

/** Hosts that listen. */
const nodeHosts: Record<
  string,
  () => Promise<RequestListener | Server> | RequestListener | Server
> = {
  'node:http': () => node,
  'Express 5': () => express,
  'Express 4': () => express4,
  Fastify: async () => {
    await fastify.ready()
    return fastify.server
  },
  'h3 on Node': () => toH3Listener(h3OnNode) as RequestListener,
  Koa: () => koa.callback(),
  NestJS: () => nest.init().then(() => nest.getHttpAdapter().getInstance()),
}

/** Requests under the mount path /api, and the expected status and error, the same for every mount. */
const paths: [method: string, path: string, status: number, error?: keyof typeof errors][] = [
  ['GET', '/api/plants', 200],
  ['GET', '/api/plants?limit=1', 200],
  ['HEAD', '/api/plants', 200],
  ['OPTIONS', '/api/plants/7', 204],
  ['DELETE', '/api/plants/7', 404, 'plant_not_found'],
  ['DELETE', '/api/plants/-9223372036854775808', 404, 'plant_not_found'],
  ['DELETE', '/api/plants/7%2F8', 400, 'invalid_id'],
  ['DELETE', '/api/plants/%37', 404, 'plant_not_found'],
  ['DELETE', '/api/plants/7%2F', 400, 'invalid_id'],
  ['DELETE', '/api/plants/7%3Fa', 400, 'invalid_id'],
  ['DELETE', '/api/plants/%C3%A9', 400, 'invalid_id'],
  ['DELETE', `/api/plants/${'7'.repeat(300)}`, 400, 'invalid_id'],
  ['GET', '/api/plants?limit=x', 400, 'invalid_limit'],
  ['DELETE', '/api/plants', 405],
  ['POST', '/api/plants/7', 405],
  ['GET', '/api', 404],
  ['GET', '/api/', 404],
  ['GET', '/api/plants/', 404],
  ['GET', '/api//plants', 404],
  ['GET', '//api/plants', 404],
  ['GET', '/api/plants//', 404],
  ['DELETE', '/api/plants/7/', 404],
  ['DELETE', '/api/plants//7', 404],
  ['GET', '/api/%70lants', 404],
  ['GET', '/api%2Fplants', 404],
  ['GET', '/api/plants%3Flimit=1', 404],
  ['GET', '/api/Plants', 404],
  ['GET', '/apiplants', 404],
  ['GET', '/plants', 404],
  ['GET', '/api/api/plants', 404],
]

/** The paths that a host rewrites before it calls the store. */
const rewritten: Record<string, string> = {
  // It takes the first slash of // for a part of the mount path.
  'Express 4': '/api//plants',
  'h3 on Node': '/api/%70lants',
}

function describeMount(name: string, start: () => Promise<{ url: string; send: Send }>): void {
  describe(`A store under /api in ${name}`, () => {
    let host: Awaited<ReturnType<typeof start>>
    beforeAll(async () => {
      host = await start()
    })
    const send = async (method: string, path: string, body?: string) => {
      const request = new Request(host.url + path, {
        method,
        body,
        headers: { authorization: 'Bearer s3cret', 'content-type': 'application/json' },
      })
      const sent = { method, url: request.url, body }
      return checkAgainstDocument(sent, await host.send(request), '/api')
    }

    it('creates, lists and deletes', async () => {
      const created = await send('POST', '/api/plants', '{"id":9007199254740993,"name":"ä"}')
      expect([created.status, await created.json()]).toEqual([200, { name: 'ä' }])
      expect((await send('POST', '/api/plants', '{"id":-1,"name":"b"}')).status).toBe(200)

      const first = await send('GET', '/api/plants?limit=1')
      expect(await first.json()).toEqual([{ name: 'b' }])
      const link = /^<(.+)>; rel="next"$/.exec(first.headers.get('link')!)![1]!
      const next = new URL(link, `${host.url}/api/plants?limit=1`)
      const rest = await send('GET', next.pathname + next.search)
      expect([await rest.json(), rest.headers.get('link')]).toEqual([[{ name: 'ä' }], null])

      expect((await send('DELETE', '/api/plants/9007199254740993')).status).toBe(204)
      expect((await send('DELETE', '/api/plants/-1')).status).toBe(204)
    })

    const own = paths.filter(([, path]) => path !== rewritten[name])
    it.each(own)('%s %s is %i', async (method, path, status, error) => {
      const response = await send(method, path)
      expect(response.status).toBe(status)
      const text = await response.text()
      if (error) expect(JSON.parse(text).error).toBe(errors[error].error)
    })
  })
}

for (const [name, send] of Object.entries(fetchHosts)) {
  describeMount(name, async () => ({ url: 'http://localhost', send }))
}

for (const [name, makeApp] of Object.entries(nodeHosts)) {
  let host: Awaited<ReturnType<typeof listen>> | undefined
  describeMount(name, async () => {
    host = await listen(await makeApp())
    return { url: host.url, send: fetch }
  })
  afterAll(() => host?.close())
}

/** Routes like a framework whose route file is in the directory `api/[...path]`. */
function inDirectory(send: Send): Send {
  return (request) =>
    new URL(request.url).pathname.startsWith('/api/')
      ? send(request)
      : new Response(null, { status: 404 })
}

/** Calls the handler with an event of an API Gateway HTTP API or a function URL (payload version 2.0). */
async function callLambda(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const event = {
    version: '2.0',
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    requestContext: { http: { method: request.method, path: url.pathname, sourceIp: '127.0.0.1' } },
    body: request.body ? Buffer.from(await request.arrayBuffer()).toString('base64') : undefined,
    isBase64Encoded: true,
  }
  const { statusCode, headers, body } = (await lambda(event as never, {} as never)) as {
    statusCode: number
    headers: Record<string, string>
    body: string
  }
  return new Response(body || null, { status: statusCode, headers })
}

describe('a large body that a verifier refuses, and that h3 has not read', () => {
  it('leaves the connection to the next request, also when the verifier reads the Request', async () => {
    const store = createPlantStore(memoryStorage(), (_token, { request }) =>
      request.url === '' ? { owner: 'alice' } : null,
    )
    const app = new H3().all('/**', ({ req }) => store.fetch(req))
    const { port } = await listening(toH3Listener(app) as RequestListener)
    const wire = await connect(port)
    const head = 'Host: garden\r\nAuthorization: Bearer t\r\n'
    wire.send(`POST /plants HTTP/1.1\r\n${head}Content-Length: 3000000\r\n\r\n`)
    wire.send(Buffer.alloc(3_000_000))
    expect(await wire.receive()).toMatchObject({ status: 401 })
    wire.send(`GET /plants HTTP/1.1\r\n${head}\r\n`)
    expect(await wire.receive()).toMatchObject({ status: 401 })
    wire.socket.destroy()
  })
})
