import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance } from 'fastify'
// @ts-expect-error It has no types of its own.
import Koa from 'koa'
import { describe, expect, it } from 'vitest'
import { toExpressHandler } from '../../../adapters/express.ts'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore, type PlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listening } from '../../shared/listening.ts'
import { connect, post } from '../../shared/wire.ts'

interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  respond: boolean
}
type Middleware = (message: IncomingMessage, next: () => void) => unknown

type Mount = (store: PlantStore, middleware: Middleware) => RequestListener

const MOUNTS: Record<string, Mount> = {
  'node:http': (store, middleware) => {
    const handler = toNodeHandler(store)
    return (message, response) => middleware(message, () => handler(message, response))
  },
  Express: inExpress(express),
  'Express 4': inExpress(express4),
  Koa: (store, middleware) => {
    const handler = toNodeHandler(store)
    const app = new Koa()
    app.use(
      ({ req }: KoaContext, next: () => Promise<void>) =>
        new Promise<void>((done) => middleware(req, () => next().then(done))),
    )
    app.use((context: KoaContext) => {
      context.respond = false
      handler(context.req, context.res)
    })
    return app.callback()
  },
  'Fastify, onRequest': (store, middleware) => {
    const app = Fastify()
    app.addHook('onRequest', ({ raw }, _reply, done) => void middleware(raw, done))
    return listenerOf(app, store)
  },
  'Fastify, preParsing': (store, middleware) => {
    const app = Fastify()
    app.addHook('preParsing', ({ raw }, _reply, _payload, done) => void middleware(raw, done))
    return listenerOf(app, store)
  },
}

function inExpress(express: typeof import('express')): Mount {
  return (store, middleware) =>
    express()
      .use((request, _response, next) => middleware(request, next))
      .use(toExpressHandler(store))
}

function listenerOf(app: FastifyInstance, store: PlantStore): RequestListener {
  app.register(toFastifyPlugin(store))
  return async (message, response) => {
    await app.ready()
    app.routing(message, response)
  }
}

const PARTS = ['{"id":1,"na', 'me":"Aloe"}'] as const

/** Of one byte, of a plant, and the largest. */
const BODIES: [status: number, body: string][] = [
  [400, '7'],
  [200, PARTS.join('')],
  [200, `{"id":2,"name":"${'x'.repeat(16 * 1024 - 18)}"}`],
]

async function verify() {
  await setTimeout(5)
  return { owner: 'alice' }
}

describe.each(Object.entries(MOUNTS))('A body in two parts, with %s', (_, mount) => {
  it.each([
    ['waits', false, false],
    ['pauses it and waits', true, false],
    ['pauses it, waits and resumes it', true, true],
  ])('is read after a middleware that %s', async (_, isPaused, isResumed) => {
    const store = createPlantStore(memoryStorage(), verify)
    async function middleware(message: IncomingMessage, next: () => void) {
      if (isPaused) message.pause()
      await expect.poll(() => message.readableLength, { interval: 1 }).toBe(PARTS[0].length)
      wire.send(PARTS[1])
      await expect.poll(() => message.complete, { interval: 1 }).toBe(true)
      // Not in a microtask: what is resumed flows right after this.
      setImmediate(() => {
        if (isResumed) message.resume()
        next()
      })
    }
    const { port } = await listening(mount(store, middleware))
    const wire = await connect(port)
    wire.send(post(PARTS[0], PARTS.join('').length))
    expect(await wire.receive()).toMatchObject({ status: 200, body: '{"name":"Aloe"}' })
  })

  // A byte counter, the requestHook of OpenTelemetry, the check of a signature.
  it.each<[string, (message: IncomingMessage, seen: PassThrough) => unknown]>([
    ['a listener', (message, seen) => message.on('data', (chunk) => seen.write(chunk))],
    ['pipe()', (message, seen) => message.pipe(seen, { end: false })],
  ])('is read beside %s, which gets it too', async (_, listen) => {
    const store = createPlantStore(memoryStorage(), (token) =>
      token === 't' ? verify() : Promise.resolve(null),
    )
    const seen = new PassThrough()
    let text = ''
    seen.on('data', (chunk) => {
      text += chunk
    })
    const { port } = await listening(
      mount(store, (message, next) => {
        listen(message, seen)
        next()
      }),
    )
    const wire = await connect(port)
    for (const [status, body] of BODIES) {
      text = ''
      const middle = Math.ceil(body.length / 2)
      wire.send(post(body.slice(0, middle), body.length))
      await setTimeout(20)
      wire.send(body.slice(middle))
      expect(await wire.receive()).toMatchObject({ status })
      expect(text).toBe(body)
      wire.send(post(body).replace('Bearer t', 'Bearer unknown'))
      expect(await wire.receive()).toMatchObject({ status: 401 })
      // It gets a refused body too.
      await expect.poll(() => text).toBe(body.repeat(2))
    }
  })
})
