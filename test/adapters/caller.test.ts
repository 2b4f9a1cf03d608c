import type { RequestListener } from 'node:http'
import express from 'express'
import Fastify, { type FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { toBunHandler } from '../../adapters/bun.ts'
import { toExpressHandler } from '../../adapters/express.ts'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import { toNodeHandler } from '../../adapters/node.ts'
import { toWorker } from '../../adapters/workers.ts'
import { type Caller, createPlantStore, type PlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { listening } from '../shared/listening.ts'

// As Passport's types do it, and @fastify/jwt's.
declare global {
  namespace Express {
    interface Request {
      user?: { id: string }
    }
  }
}
declare module 'fastify' {
  interface FastifyRequest {
    user?: { id: string }
  }
}

/** Sends a request with the header `x-user`, which the app takes for its signed-in user. */
type Send = (path: string, user: string | undefined, init?: RequestInit) => Promise<Response>

type CallerOf = (user: string | undefined) => Promise<Caller | null> | Caller | undefined
type Mount = (store: Pick<PlantStore, 'handle' | 'notFound'>, callerOf?: CallerOf) => Promise<Send>

async function sending(listener: RequestListener): Promise<Send> {
  const { url } = await listening(listener)
  return (path, user, init) => fetch(url + path, withUser(user, init))
}

function withUser(user: string | undefined, init: RequestInit = {}): RequestInit {
  return { ...init, headers: { ...init.headers, ...(user && { 'x-user': user }) } }
}

const MOUNTS: Record<string, Mount> = {
  toNodeHandler: (store, callerOf) => {
    const caller = callerOf && (({ headers }: any) => callerOf(headers['x-user']))
    return sending(toNodeHandler(store, { caller }))
  },
  toExpressHandler: (store, callerOf) => {
    const app = express().use((request, _response, next) => {
      const id = request.get('x-user')
      if (id) request.user = { id }
      next()
    })
    if (callerOf) app.use(toExpressHandler(store, { caller: (req) => callerOf(req.user?.id) }))
    else app.use(toExpressHandler(store))
    return sending(app)
  },
  toFastifyPlugin: async (store, callerOf) => {
    const app = Fastify().decorateRequest('user')
    app.addHook('onRequest', async (request: FastifyRequest) => {
      const id = request.headers['x-user']
      if (typeof id === 'string') request.user = { id }
    })
    app.register(
      toFastifyPlugin(store),
      callerOf ? { prefix: '/', caller: (request) => callerOf(request.user?.id) } : {},
    )
    onTestFinished(() => app.close())
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return (path, user, init) => fetch(url + path, withUser(user, init))
  },
  toBunHandler: async (store, callerOf) => {
    const caller =
      callerOf && (({ headers }: Request) => callerOf(headers.get('x-user') ?? undefined))
    const respond = toBunHandler(store, { caller })
    return (path, user, init) => respond(new Request(`http://a${path}`, withUser(user, init)))
  },
}

const PLANT = { method: 'POST', body: '{"id":7,"name":"Aloe"}' }
const json = { 'content-type': 'application/json' }

function setUp() {
  const verify = vi.fn(() => ({ owner: 'of the token' }))
  return { store: createPlantStore(memoryStorage(), verify), verify }
}

describe.each(Object.entries(MOUNTS))('The caller of %s', (_, mount) => {
  it('is the user whom the app has signed in, and no token is read', async () => {
    const { store, verify } = setUp()
    const send = await mount(store, async (id) => (id ? { owner: id } : null))
    const headers = { ...json, authorization: 'Bearer t' }
    expect((await send('/plants', 'alice', { ...PLANT, headers })).status).toBe(200)
    expect(await (await send('/plants', 'alice')).json()).toEqual([{ name: 'Aloe' }])
    expect(await (await send('/plants', 'bob')).json()).toEqual([])
    const nobody = await send('/plants', undefined, { headers })
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="plants"',
    ])
    expect(verify).not.toHaveBeenCalled()
  })

  it('is that of store.as(caller), if that is mounted', async () => {
    const { store } = setUp()
    const send = await mount(store.as({ owner: 'carol' }))
    expect((await send('/plants', undefined, { ...PLANT, headers: json })).status).toBe(200)
    expect(await (await send('/plants', undefined)).json()).toEqual([{ name: 'Aloe' }])
  })
})

it('A Worker serves store.as(caller)', async () => {
  const worker = toWorker(() => setUp().store.as({ owner: 'carol' }))
  const response = await worker.fetch(new Request('http://a/plants'), {}, undefined as never)
  expect(await response.json()).toEqual([])
})

describe('A wrong option', () => {
  const { store } = setUp()
  it.each([
    ['toNodeHandler', (options: never) => toNodeHandler(store, options)],
    ['toExpressHandler', (options: never) => toExpressHandler(store, options)],
    ['toBunHandler', (options: never) => toBunHandler(store, options)],
  ])('of %s is refused when it is mounted', (name, mount) => {
    expect(() => mount({ user: () => null } as never)).toThrow(
      `${name} has no option user; the options are caller`,
    )
    expect(() => mount({ caller: 'alice' } as never)).toThrow(
      `${name}: caller must be a function of the request`,
    )
  })

  it('of toFastifyPlugin is refused when the app gets ready', async () => {
    const app = Fastify().register(toFastifyPlugin(store), { caller: 'alice' } as never)
    await expect(app.ready()).rejects.toThrow('caller must be a function')
  })
})
