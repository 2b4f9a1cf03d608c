import type { RequestListener, Server } from 'node:http'
import Hapi from '@hapi/hapi'
import { getRequestListener } from '@hono/node-server'
import type { MiddlewareConsumer } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import express from 'express'
import Fastify from 'fastify'
import { fromNodeHandler, H3, toNodeHandler as toH3Listener } from 'h3'
import { Hono } from 'hono'
import { AutoRouter } from 'itty-router'
// @ts-expect-error It has no types of its own.
import Koa from 'koa'
// @ts-expect-error It has no types of its own.
import polka from 'polka'
import { describe, expect, it } from 'vitest'
import { toExpressHandler } from '../../adapters/express.ts'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import { toNodeHandler } from '../../adapters/node.ts'
import { createPlantStore, type PlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { type TestPlantAdapterOptions, testPlantAdapter } from '../../src/testing.ts'
import { limits } from '../frameworks/limits.ts'
import { listening } from '../shared/listening.ts'
import { isNightly } from '../shared/nightly.ts'
import { plants, read } from '../shared/plants.ts'
import { connect, head, post } from '../shared/wire.ts'

/** A host, what it cannot do or does itself, and the base path of the store if it leaves that on the URL. */
interface Host extends TestPlantAdapterOptions {
  /** Makes an app with the store under /api. */
  readonly mount: (store: PlantStore) => RequestListener | Server | Promise<Server>
}

/** Calls an app that takes a Request, as its runtime does. */
const onNode = (app: { fetch(request: Request): Response | Promise<Response> }) =>
  getRequestListener((request) => app.fetch(request))

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

const hosts: Record<string, Host> = {
  'node:http': { basePath: '/api', mount: (store) => toNodeHandler(store) },
  'Express 5': { mount: (store) => express().use('/api', toExpressHandler(store)) },
  Fastify: {
    async mount(store) {
      const app = Fastify()
      app.register(toFastifyPlugin(store), { prefix: '/api' })
      await app.ready()
      return app.server
    },
    limits: limits.fastify,
  },
  'h3, fromNodeHandler': {
    basePath: '/api',
    mount(store) {
      const plants = toNodeHandler(store)
      const handler = fromNodeHandler((request, response, _next) => plants(request, response))
      return toH3Listener(new H3().all('/api/**', handler)) as RequestListener
    },
    limits: {
      'malformed-percent-encoding': 'h3 answers it itself, with 200',
      'other-paths': {
        always: 'h3 decodes the path, or takes // for /',
        seen: 'The status is 200',
      },
    },
  },
  Hono: {
    mount: (store) => onNode(new Hono().mount('/api', store.fetch)),
    limits: {
      ...HONO_ON_NODE,
      'other-paths': { always: 'Hono decodes the path', seen: 'Sent: GET /%70lants' },
      'verifier-request': {
        always: 'app.mount takes the mount path off the URL',
        seen: 'The body must be',
      },
    },
  },
  'Hono, a route': {
    basePath: '/api',
    mount: (store) => onNode(new Hono().all('/api/plants/*', (c) => store.fetch(c.req.raw))),
    limits: HONO_ON_NODE,
  },
  'itty-router': {
    basePath: '/api',
    mount: (store) => onNode(AutoRouter().all('/api/*', store.fetch)),
    limits: {
      ...HONO_ON_NODE,
      'verifier-request': 'the request of AutoRouter throws where its body is null',
    },
  },
}

/** The nightly tests have all. `npm run test:frameworks` tests those of other frameworks, as their own builds start them. */
const QUICK = ['node:http', 'Express 5', 'Fastify', 'Hono']

for (const [name, { mount, ...options }] of Object.entries(hosts)) {
  if (!isNightly && !QUICK.includes(name)) continue
  describe(`A store under /api in ${name}`, () => {
    async function start(store: PlantStore) {
      const { url } = await listening(await mount(store))
      return { url: `${url}/api` }
    }
    const versions = isNightly ? (['1.1', '1.0'] as const) : (['1.1'] as const)
    testPlantAdapter({ describe, it }, start, { ...options, versions })
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
    wire.send(post('', 3_000_000))
    wire.send(Buffer.alloc(3_000_000))
    expect(await wire.receive()).toMatchObject({ status: 401 })
    wire.send(head('GET /plants'))
    expect(await wire.receive()).toMatchObject({ status: 401 })
  })
})

type Note = (place: string) => void

const noting =
  (note: Note, place: string) => (_request: unknown, _response: unknown, next: () => void) => {
    note(place)
    next()
  }

const REFUSING_GUARD = { canActivate: () => false }

/** Apps with middleware in front of the store and behind it, which notes that it runs. */
const WITH_MIDDLEWARE: Record<string, (note: Note) => RequestListener | Promise<Server>> = {
  Express(note) {
    const app = express().use(noting(note, 'in front')).use('/api', toExpressHandler(plants()))
    return app.use(noting(note, 'behind'))
  },
  async NestJS(note) {
    const app = await NestFactory.create(class {}, { logger: false })
    app.setGlobalPrefix('v1').useGlobalGuards(REFUSING_GUARD)
    app.use(noting(note, 'in front')).use('/api', toExpressHandler(plants()))
    await app.init()
    return app.getHttpServer()
  },
  async 'NestJS on Fastify'(note) {
    class AppModule {
      configure(consumer: MiddlewareConsumer) {
        consumer.apply(noting(note, 'in a module')).forRoutes('{*path}')
      }
    }
    const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
      logger: false,
    })
    app.useGlobalGuards(REFUSING_GUARD).use(noting(note, 'in front'))
    await app.register(toFastifyPlugin(plants()), { prefix: '/api' })
    await app.init()
    await app.getHttpAdapter().getInstance().ready()
    return app.getHttpServer()
  },
  async Hapi(note) {
    const handler = toNodeHandler(plants({ basePath: '/api' }))
    const app = Hapi.server()
    const points = ['onRequest', 'onPreHandler', 'onPostHandler', 'onPreResponse', 'onPostResponse']
    for (const point of points as Hapi.ServerRequestExtType[]) {
      app.ext(point, (_request, h) => {
        note(point)
        return h.continue
      })
    }
    app.route({
      method: '*',
      path: '/api/{path*}',
      handler({ raw }, h) {
        handler(raw.req, raw.res)
        return h.abandon
      },
    })
    await app.initialize()
    return app.listener
  },
  Polka(note) {
    const app = polka().use(noting(note, 'in front')).use('/api', toExpressHandler(plants()))
    return app.use(noting(note, 'behind')).handler
  },
  h3(note) {
    const app = new H3().use(() => note('in front')).mount('/api', plants())
    return toH3Listener(app.use(() => note('behind'))) as RequestListener
  },
  Hono(note) {
    const noting = (place: string) => (_: unknown, next: () => Promise<void>) => {
      note(place)
      return next()
    }
    const app = new Hono().use(noting('in front')).mount('/api', plants().fetch)
    return onNode(app.use(noting('behind')))
  },
  'itty-router'(note) {
    const { fetch } = plants({ basePath: '/api' })
    const app = AutoRouter().all('*', () => note('in front'))
    return onNode(app.all('/api/*', fetch).all('*', () => note('behind')))
  },
  Koa(note) {
    const handler = toNodeHandler(plants({ basePath: '/api' }))
    const app = new Koa().use((_: unknown, next: () => unknown) => {
      note('in front')
      return next()
    })
    app.use((context: any) => {
      context.respond = false
      return handler(context.req, context.res)
    })
    return app.use(() => note('behind')).callback()
  },
}

// As their pages say.
it.each([
  ['Express', 'in front'],
  ['NestJS', 'in front'],
  ['NestJS on Fastify', 'in front and in a module'],
  ['Hapi', 'onRequest and onPreHandler and onPostResponse'],
  ['Polka', 'in front and behind'],
  ['h3', 'in front and behind'],
  ['Hono', 'in front'],
  ['itty-router', 'in front'],
  ['Koa', 'in front'],
])('a request of the store runs the middleware of %s that is %s', async (name, places) => {
  const noted: string[] = []
  const { url } = await listening(await WITH_MIDDLEWARE[name]!((place) => void noted.push(place)))
  expect((await read(`${url}/api`)).status).toBe(200)
  expect(noted.join(' and ')).toBe(places)
})
