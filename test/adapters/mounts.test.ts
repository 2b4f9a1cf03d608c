import type { RequestListener, Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { H3, serve as serveH3, toNodeHandler as toH3Listener } from 'h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type TestPlantAdapterOptions, testPlantAdapter } from '../../src/testing.ts'
import { listen } from '../shared/listen.ts'
import { listening } from '../shared/listening.ts'
import { isNightly } from '../shared/nightly.ts'
import { connect } from '../shared/wire.ts'
import * as astro from './mounts/astro.ts'
import { handler as lambda } from './mounts/aws-lambda.ts'
import { app as express } from './mounts/express.ts'
import { app as express4 } from './mounts/express4.ts'
import { app as fastify } from './mounts/fastify.ts'
import { app as h3 } from './mounts/h3.ts'
import { app as h3OnNode } from './mounts/h3-node.ts'
import { app as hapi } from './mounts/hapi.ts'
import { app as hono } from './mounts/hono.ts'
import { app as honoRoute } from './mounts/hono-route.ts'
import { app as itty } from './mounts/itty-router.ts'
import { app as koa } from './mounts/koa.ts'
import { app as nest } from './mounts/nest.ts'
import * as next from './mounts/next.ts'
import { server as node } from './mounts/node.ts'
import { app as polka } from './mounts/polka.ts'
import * as svelteKit from './mounts/sveltekit.ts'

type Send = (request: Request) => Response | Promise<Response>

/** Hosts that are called with a Request, as their runtime calls them. @hono/node-server does it here. */
const fetchHosts: Record<string, Send> = {
  Hono: (request) => hono.fetch(request),
  'Hono, a route': (request) => honoRoute.fetch(request),
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
  'h3, fromNodeHandler': () => toH3Listener(h3OnNode) as RequestListener,
  Koa: () => koa.callback(),
  Polka: () => polka.handler,
  NestJS: () => nest.init().then(() => nest.getHttpAdapter().getInstance()),
}

const DECODES = 'the framework decodes the path, or takes // for /'
const H3_OWN = {
  'malformed-percent-encoding': 'h3 answers it itself, with 200',
  'other-paths': DECODES,
  'mount-path': 'h3 answers it itself, with 200',
}
const HONO_ON_NODE = {
  'readable-refusal': '@hono/node-server closes it before the rest of the body has come',
  'truncated-list over HTTP/1.0': '@hono/node-server ends the connection',
}
const MOUNT = 'app.mount takes the mount path off the URL'
const WHOLE = 'a Lambda gets and returns a whole body'

/** What a host cannot do, or does itself. */
const limits: Record<string, TestPlantAdapterOptions['limits']> = {
  'AWS Lambda': {
    'body-memory': WHOLE,
    'early-refusal': WHOLE,
    backpressure: WHOLE,
    'hang-up': WHOLE,
  },
  'Express 4': {
    'other-paths': 'Express takes the first slash of // for a part of the mount path',
  },
  Fastify: { 'malformed-percent-encoding': 'Fastify answers it itself, in its own form' },
  Hapi: {
    'malformed-percent-encoding': 'Hapi answers it itself, in its own form',
    'media-type': 'Hapi answers a malformed Content-Type itself, with 400',
  },
  h3: {
    ...H3_OWN,
    'failing-wrapper': { sometimes: 'h3 answers it with 200' },
    'verifier-request': MOUNT,
    'content-length': 'srvx, which serves h3, sends each body in chunks',
    'readable-refusal': 'srvx closes the connection before the rest of the body has come',
    'truncated-list over HTTP/1.0': 'srvx ends the connection',
  },
  'h3, fromNodeHandler': H3_OWN,
  Polka: { 'absolute-target': 'Polka answers it itself, with 404' },
  Hono: {
    ...HONO_ON_NODE,
    'other-paths': DECODES,
    'verifier-request': MOUNT,
  },
}
limits['itty-router'] = {
  ...HONO_ON_NODE,
  'verifier-request': 'the request of AutoRouter throws where its body is null',
}
for (const name of ['Hono, a route', 'Next.js', 'SvelteKit', 'Astro']) limits[name] = HONO_ON_NODE

/** `npm run test:frameworks` drives the others too, as their own builds start them. */
const QUICK = ['node:http', 'Express 5', 'Fastify', 'Hono']

function describeMount(
  name: string,
  start: () => Promise<{ url: string; close(): unknown }>,
): void {
  if (!isNightly && !QUICK.includes(name)) return
  describe(`A store under /api in ${name}`, () => {
    let host: { url: string; close(): unknown } | undefined
    beforeAll(async () => {
      host = await start()
    })
    afterAll(() => host?.close())

    testPlantAdapter({ describe, it }, () => ({ url: `${host!.url}/api` }), {
      limits: limits[name],
      versions: isNightly ? ['1.1', '1.0'] : ['1.1'],
    })
  })
}

for (const [name, send] of Object.entries(fetchHosts)) {
  describeMount(name, () => listen(getRequestListener(send)))
}
describeMount('h3', async () => {
  const server = serveH3(h3, { port: 0, hostname: '127.0.0.1', silent: true })
  await server.ready()
  return { url: server.url!.replace(/\/$/, ''), close: () => server.close(true) }
})
describeMount('Hapi', async () => {
  await hapi.start()
  return { url: `http://127.0.0.1:${hapi.info.port}`, close: () => hapi.stop() }
})
for (const [name, makeApp] of Object.entries(nodeHosts)) {
  describeMount(name, async () => listen(await makeApp()))
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
