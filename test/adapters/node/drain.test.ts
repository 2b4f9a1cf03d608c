import { once } from 'node:events'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve as serveHono } from '@hono/node-server'
import Fastify from 'fastify'
// @ts-expect-error It has no types of its own.
import Koa from 'koa'
// @ts-expect-error It has no types of its own.
import polka from 'polka'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { toExpressHandler } from '../../../adapters/express.ts'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
import { enableGracefulClose, type NodeServer, toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore, type PlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { listen } from '../../shared/listen.ts'
import { connect, head, post, type Wire } from '../../shared/wire.ts'
import { tls } from './tls.ts'

const LIST = head('GET /plants')
const create = (id: number) => post(`{"id":${id},"name":"Aloe"}`)
const LAST = { status: 200, headers: { connection: 'close' } }

const ends: (() => Promise<void>)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))

/** A server whose creates wait, as the later pages of its lists do, and a connection to it that is idle. */
async function start() {
  const storage = memoryStorage()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>()
  const slow = {
    ...storage,
    async create(...call: Parameters<typeof storage.create>) {
      noteAsked()
      await released
      return storage.create(...call)
    },
    async list(...call: Parameters<typeof storage.list>) {
      if (call[1].after !== undefined) await released
      return storage.list(...call)
    },
  }
  const store = createPlantStore(slow, () => ({ owner: 'alice' }))
  const { server, port } = await listen(toNodeHandler(store))
  const startClosing = enableGracefulClose(server, store, { graceMs: 60_000, signals: false })
  ends.push(() => {
    release()
    return startClosing()
  })
  const open = () => connect(port)
  const accepted = once(server, 'connection')
  const wire = await open()
  const [socket] = (await accepted) as [Socket]
  wire.send(LIST)
  await wire.receive()
  return {
    storage,
    wire,
    /** The server's end of the connection. */
    socket,
    open,
    startClosing,
    release,
    /** Sends a create, and waits until it has reached the storage. */
    async begin(wire: Wire, bytes: string) {
      wire.send(bytes)
      await asked
    },
    /** Closes the server, and waits until it refuses connections. */
    async close() {
      const closed = startClosing()
      await untilRefused(open)
      return { closed }
    },
  }
}

const untilRefused = (open: () => Promise<Wire>) =>
  vi.waitFor(() => expect(open()).rejects.toThrow('ECONNREFUSED'), {
    timeout: 10_000,
    interval: 10,
  })

async function expectLast(wire: Wire): Promise<void> {
  expect(await wire.receive()).toMatchObject(LAST)
  expect(await wire.receive()).toBeNull()
}

describe.concurrent('A server that is closing', () => {
  it('answers a request that arrives as it begins to close, though nothing came for long', async () => {
    const { startClosing, wire, socket } = await start()
    await sleep(300)
    const closed = startClosing()
    // Requests are not read while the connections that wait are accepted.
    while (!socket.isPaused()) await new Promise((resolve) => setImmediate(resolve))
    wire.send(LIST)
    await expectLast(wire)
    await closed
  })

  it('answers one request on a connection that has not been used', async () => {
    const { open, close } = await start()
    const wire = await open()
    const { closed } = await close()
    wire.send(LIST)
    await expectLast(wire)
    await closed
  })

  it('takes connections until requests that it has read are answered, since a proxy makes new ones then', async () => {
    const { startClosing, wire, open, release, begin } = await start()
    await begin(wire, create(1))
    const closed = startClosing()
    await sleep(60)
    const other = await open()
    other.send(LIST)
    release()
    expect(await wire.receive()).toMatchObject({ status: 200 })
    await expectLast(other)
    await closed
  })

  it('answers pipelined requests, and says in the last response that it is the last', async () => {
    const { wire, socket, begin, close, release } = await start()
    await begin(wire, create(1) + create(2))
    const { closed } = await close()
    const before = socket.bytesRead
    wire.send(create(3) + LIST)
    await expect.poll(() => socket.bytesRead).toBe(before + (create(3) + LIST).length)
    release()
    for (let count = 1; count <= 3; count++) {
      const { status, headers } = (await wire.receive())!
      expect(status).toBe(200)
      expect(headers.connection).not.toBe('close')
    }
    await expectLast(wire)
    await closed
  })

  it('sends a list that has begun to its end, however long it takes', async () => {
    const { storage, wire, close, release } = await start()
    for (let id = 0n; id < 2000n; id++) storage.create('alice', { id, name: 'Aloe' })
    wire.send(LIST)
    await once(wire.socket, 'data')
    const { closed } = await close()
    await sleep(400)
    release()
    expect(JSON.parse((await wire.receive())!.body)).toHaveLength(2000)
    expect(await wire.receive()).toBeNull()
    await closed
  })

  it('waits for the rest of a request while it is arriving', async () => {
    const { wire, close } = await start()
    wire.send(LIST.slice(0, 20))
    const { closed } = await close()
    for (const byte of LIST.slice(20, 24)) {
      await sleep(120)
      wire.send(byte)
    }
    wire.send(LIST.slice(24))
    await expectLast(wire)
    await closed
  })

  it('reads the rest of a body that it has refused', async () => {
    const { wire, socket, close } = await start()
    const sent = LIST.length + post('x'.repeat(100_000)).length
    wire.send(post('x'.repeat(50_000), 100_000).replace('Bearer', 'Basic'))
    const { closed } = await close()
    await sleep(300)
    wire.send('x'.repeat(50_000))
    await vi.waitFor(() => expect(socket.bytesRead).toBe(sent - 1))
    expect(await wire.receive()).toMatchObject({ status: 401, headers: { connection: 'close' } })
    expect(await wire.receive()).toBeNull()
    await closed
  })

  it('stops at once when it has been idle', async () => {
    const idle = await start()
    await sleep(300)
    const used = await start()
    const closing = { idle: idle.startClosing(), used: used.startClosing() }
    const names = Object.entries(closing).map(([name, closed]) => closed.then(() => name))
    expect(await Promise.race(names)).toBe('idle')
  })
})

it('a server that is closing stops accepting connections and ends, however busy it is', async () => {
  const { close } = await start()
  let isBusy = true
  function spin() {
    for (const end = performance.now() + 1; performance.now() < end; );
    if (isBusy) setImmediate(spin)
  }
  spin()
  onTestFinished(() => {
    isBusy = false
  })
  const { closed } = await close()
  const begin = performance.now()
  await closed
  expect(performance.now() - begin).toBeLessThan(30_000)
})

/** An app's own servers, and what it closes with them. */
const OWN_SERVERS: Record<
  string,
  (store: PlantStore) => [NodeServer, { close(): Promise<unknown> }]
> = {
  'node:http': (store) => [createServer(toNodeHandler(store)).listen(0), store],
  'node:https': (store) => [createHttpsServer(tls, toNodeHandler(store)).listen(0), store],
  'node:http2, whose client has HTTP/1.1, with https': (store) => {
    const options = { ...tls, allowHTTP1: true }
    return [createSecureServer(options, toNodeHandler(store)).listen(0), store]
  },
  Hono: (store) => [serveHono({ fetch: store.fetch, port: 0 }), store],
  Koa(store) {
    const handler = toNodeHandler(store)
    const app = new Koa().use((context: any) => {
      context.respond = false
      return handler(context.req, context.res)
    })
    return [app.listen(0), store]
  },
  Polka: (store) => [polka().use(toExpressHandler(store)).listen(0).server, store],
  Fastify(store) {
    const app = Fastify()
    app.register(toFastifyPlugin(store))
    app.addHook('onClose', () => store.close())
    void app.listen({ port: 0, host: '127.0.0.1' })
    return [app.server, app]
  },
}

describe.each(Object.entries(OWN_SERVERS))(
  'enableGracefulClose, for a server of %s',
  (name, listen) => {
    it('answers what is in flight and once more, and does not wait for unused or half-sent connections', async () => {
      const closeStorage = vi.fn()
      const storage = {
        ...memoryStorage(),
        create: () => sleep(1000, true),
        close: closeStorage,
      }
      const [server, closable] = listen(createPlantStore(storage, () => ({ owner: 'alice' })))
      // Longer than this test may take.
      const close = enableGracefulClose(server, closable, { graceMs: 600_000, signals: false })
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const open = () => connect(port, name.endsWith('https') ? 'https' : 'http')
      const wires = await Promise.all([open(), open(), open(), open()])
      const [busy, idle, unused, halfSent] = wires
      idle.send(LIST)
      await idle.receive()
      halfSent.send('GET /pl')
      busy.send(LIST + create(1))
      await busy.receive()
      const closed = close()
      await untilRefused(open)
      expect(closeStorage).not.toHaveBeenCalled()
      idle.send(LIST)
      await Promise.all([expectLast(idle), expectLast(busy)])
      expect([await unused.receive(), await halfSent.receive()]).toEqual([null, null])
      await closed
      expect(closeStorage).toHaveBeenCalledOnce()
    })
  },
)
