import type { RequestListener, Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { H3, toNodeHandler as toH3Listener } from 'h3'
import { describe, expect, it } from 'vitest'
import { createPlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type TestPlantAdapterOptions, testPlantAdapter } from '../../src/testing.ts'
import { listen } from '../shared/listen.ts'
import { listening } from '../shared/listening.ts'
import { isNightly } from '../shared/nightly.ts'
import { connect } from '../shared/wire.ts'
import { app as express } from './mounts/express.ts'
import { app as fastify } from './mounts/fastify.ts'
import { app as h3OnNode } from './mounts/h3-node.ts'
import { app as hono } from './mounts/hono.ts'
import { app as honoRoute } from './mounts/hono-route.ts'
import { app as itty } from './mounts/itty-router.ts'
import { server as node } from './mounts/node.ts'

/** The apps. @hono/node-server calls those that take a Request, as their runtime does. */
const hosts: Record<string, () => RequestListener | Server | Promise<RequestListener | Server>> = {
  'node:http': () => node,
  'Express 5': () => express,
  Fastify: async () => {
    await fastify.ready()
    return fastify.server
  },
  'h3, fromNodeHandler': () => toH3Listener(h3OnNode) as RequestListener,
  Hono: () => getRequestListener((request) => hono.fetch(request)),
  'Hono, a route': () => getRequestListener((request) => honoRoute.fetch(request)),
  'itty-router': () => getRequestListener((request) => itty.fetch(request)),
}

const HONO_ON_NODE = {
  'readable-refusal': {
    always: '@hono/node-server closes it before the rest of the body has come',
    seen: 'closed without a response',
  },
  'truncated-list over HTTP/1.0': {
    always: '@hono/node-server ends the connection',
    seen: 'looks complete',
  },
}

/** What a host cannot do, or does itself. */
const limits: Record<string, TestPlantAdapterOptions['limits']> = {
  Fastify: {
    'malformed-percent-encoding': {
      always: 'Fastify answers it itself, in its own form',
      seen: 'the host has answered itself',
    },
  },
  'h3, fromNodeHandler': {
    'malformed-percent-encoding': 'h3 answers it itself, with 200',
    'other-paths': { always: 'h3 decodes the path, or takes // for /', seen: 'The status is 200' },
  },
  Hono: {
    ...HONO_ON_NODE,
    'other-paths': { always: 'Hono decodes the path', seen: 'Sent: GET /%70lants' },
    'verifier-request': {
      always: 'app.mount takes the mount path off the URL',
      seen: 'The body must be',
    },
  },
  'itty-router': {
    ...HONO_ON_NODE,
    'verifier-request': 'the request of AutoRouter throws where its body is null',
  },
  'Hono, a route': HONO_ON_NODE,
}

/** The nightly tests have all. `npm run test:frameworks` tests those of other frameworks, as their own builds start them. */
const QUICK = ['node:http', 'Express 5', 'Fastify', 'Hono']

for (const [name, makeApp] of Object.entries(hosts)) {
  if (!isNightly && !QUICK.includes(name)) continue
  describe(`A store under /api in ${name}`, () => {
    async function start() {
      const { url, close } = await listen(await makeApp())
      return { url: `${url}/api`, stop: close }
    }
    const versions = isNightly ? (['1.1', '1.0'] as const) : (['1.1'] as const)
    testPlantAdapter({ describe, it }, start, { limits: limits[name], versions })
  })
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
  })
})
