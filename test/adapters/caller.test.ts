import type { RequestListener } from 'node:http'
import express from 'express'
import Fastify, { type FastifyRequest } from 'fastify'
// @ts-expect-error It has no types of its own.
import Koa from 'koa'
import { describe, expect, it, vi } from 'vitest'
import { toBunHandler } from '../../adapters/bun.ts'
import { toExpressHandler } from '../../adapters/express.ts'
import { toFastifyPlugin } from '../../adapters/fastify.ts'
import { toNodeHandler } from '../../adapters/node.ts'
import { type Caller, createPlantStore, type PlantStore } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { readGuide } from '../docs/guides/guides.ts'
import { listening } from '../shared/listening.ts'

type Send = (path: string, init: RequestInit) => Promise<Response>
type CallerOf = (user: string | undefined) => Promise<Caller | null>
type Mount = (store: PlantStore, callerOf: CallerOf) => Promise<Send>

async function sending(listener: RequestListener): Promise<Send> {
  const { url } = await listening(listener)
  return (path, init) => fetch(url + path, init)
}

/** Ways to mount a store in an app that takes the header `x-user` for its signed-in user. */
const MOUNTS: Record<string, Mount> = {
  toNodeHandler(store, callerOf) {
    const caller = ({ headers }: any) => callerOf(headers['x-user'])
    return sending(toNodeHandler(store, { caller }))
  },
  toExpressHandler(store, callerOf) {
    const handler = toExpressHandler(store, { caller: (req) => callerOf(req.get('x-user')) })
    return sending(express().use(handler))
  },
  async toFastifyPlugin(store, callerOf) {
    const app = Fastify()
    // Only Fastify's own request, to which hooks add the user, has `raw`.
    const caller = ({ raw }: FastifyRequest) =>
      callerOf(raw.headers['x-user'] as string | undefined)
    app.register(toFastifyPlugin(store), { prefix: '/', caller })
    await app.ready()
    return sending(app.routing)
  },
  async toBunHandler(store, callerOf) {
    const caller = ({ headers }: Request) => callerOf(headers.get('x-user') ?? undefined)
    const respond = toBunHandler(store, { caller })
    return (path, init) => respond(new Request(`http://a${path}`, init))
  },
  Koa(store, callerOf) {
    const [, code] = /^- Koa: `([^`]+)`$/m.exec(readGuide('docs/sign-in/your-app.md'))!
    const mount = new Function('store', 'toNodeHandler', 'ctx', code!)
    const app = new Koa().use(async ({ state, headers }: any, next: () => unknown) => {
      const caller = await callerOf(headers['x-user'])
      if (caller) state.user = { id: caller.owner }
      await next()
    })
    return sending(app.use(mount.bind(null, store, toNodeHandler)).callback())
  },
}

function setUp() {
  const verify = vi.fn(() => ({ owner: 'of the token' }))
  return { store: createPlantStore(memoryStorage(), verify), verify }
}

it.each(Object.entries(MOUNTS))(
  'The caller of %s is the user whom the app has signed in, and no token is read',
  async (_, mount) => {
    const { store, verify } = setUp()
    const send = await mount(store, async (id) => (id ? { owner: id } : null))
    const headers = { 'content-type': 'application/json', authorization: 'Bearer t' }
    const sendAs = (user: string, init: RequestInit = {}) =>
      send('/plants', { ...init, headers: { ...headers, 'x-user': user } })
    const create = { method: 'POST', body: '{"id":7,"name":"Aloe"}' }
    expect((await sendAs('alice', create)).status).toBe(200)
    expect(await (await sendAs('alice')).json()).toEqual([{ name: 'Aloe' }])
    expect(await (await sendAs('bob')).json()).toEqual([])
    expect((await send('/plants', { headers })).status).toBe(401)
    expect(verify).not.toHaveBeenCalled()
  },
)

describe('A wrong option, and not store.as(caller),', () => {
  // The rule `caller` of the adapter kit has requests to it.
  const store = setUp().store.as({ owner: 'carol' })
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
