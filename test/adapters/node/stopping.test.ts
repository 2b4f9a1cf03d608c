import { type EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import {
  connect as connectHttp2,
  createSecureServer as createHttp2SecureServer,
  createServer as createHttp2Server,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NodeServer } from '../../../adapters/node/drain.ts'
import { enableGracefulClose, serve, toNodeHandler } from '../../../adapters/node.ts'
import { createPlantStore } from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import { startProgram } from '../../runtimes/program.ts'
import { listening } from '../../shared/listening.ts'
import { folderOfTest } from '../../shared/temporary-folder.ts'
import { head } from '../../shared/wire.ts'
import { tls } from './tls.ts'

/** Far longer than what is not to wait for it takes on a busy machine, which is less than half of it. */
const GRACE_MS = 40_000

const createWithTls = (handler: any) => createHttpsServer(tls, handler)
/** A server of HTTP/2 that takes HTTP/1.1 too. */
const createWithBoth = (handler: any) =>
  createHttp2SecureServer({ ...tls, allowHTTP1: true }, handler)

/** A store whose lists take 500 ms. */
function slowStore() {
  const storage = memoryStorage()
  const list: typeof storage.list = (...call) =>
    sleep(500).then(() => storage.list(...call)) as never
  return createPlantStore({ ...storage, list }, () => ({ owner: 'alice' }))
}

/** Starts a server, and returns the function that closes it. */
async function start(
  serverOf: (handler: any) => NodeServer,
  store = slowStore(),
  graceMs = GRACE_MS,
) {
  const server = serverOf(toNodeHandler(store))
  const close = enableGracefulClose(server, store, { graceMs, signals: false })
  const { port } = await listening(server)
  return { server, close, port }
}

async function msOf(work: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work
  return performance.now() - start
}

async function open(address: { port: number } | { path: string }): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', ...address }).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

function echo(_request: unknown, socket: Socket): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
  socket.pipe(socket)
}

/** Expects an echo after so many ms of closing, which ends with the connection. */
async function expectLeftToApp(socket: Socket, close: () => Promise<void>, ms: number) {
  const closed = close()
  await sleep(ms)
  socket.write('still here')
  expect(String((await once(socket, 'data'))[0])).toBe('still here')
  socket.end()
  expect(await msOf(closed)).toBeLessThan(GRACE_MS / 2)
}

const UPGRADE = 'GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'

describe.each([
  ['upgrade', UPGRADE],
  ['connect', 'CONNECT example:1 HTTP/1.1\r\nHost: example:1\r\n\r\n'],
])('A connection that the app got with the event %s', (event, bytes) => {
  async function openEcho(port: number) {
    const socket = await open({ port })
    socket.write(bytes)
    await once(socket, 'data')
    return socket
  }

  async function startEcho(added = 'before', graceMs = GRACE_MS) {
    const serverOf = (handler: any) => {
      const server = createServer(handler)
      return added === 'late' ? server : server.on(event, echo)
    }
    const started = await start(serverOf, slowStore(), graceMs)
    const server: EventEmitter = started.server
    if (added === 'again, in place of others') server.removeAllListeners(event)
    if (added !== 'before') server.on(event, echo)
    return { ...started, server, socket: await openEcho(started.port) }
  }

  it.each(['before', 'late', 'again, in place of others'])(
    'is left to it while the server closes, if its listener was added %s',
    async (added) => {
      const { socket, close } = await startEcho(added)
      await expectLeftToApp(socket, close, 1500)
    },
  )

  it('is left to it if the app has passed the connection to the server', async () => {
    const { server, socket: first, close } = await startEcho()
    first.destroy()
    const front = await listening(createTcpServer((socket) => server.emit('connection', socket)))
    await expectLeftToApp(await openEcho(front.port), close, 500)
  })

  it('is cut when three quarters of graceMs have passed', async () => {
    const { socket, close } = await startEcho('before', 1000)
    const ended = once(socket, 'close')
    expect(await msOf(close())).toBeGreaterThan(700)
    await ended
  })
})

it('An upgrade is an ordinary request once the app has removed its listener, as ws does when it closes', async () => {
  const { server, port } = await start((handler) => createServer(handler).on('upgrade', echo))
  ;(server as EventEmitter).off('upgrade', echo)
  const socket = await open({ port })
  socket.write(UPGRADE)
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /)
})

describe('A server of node:http2', () => {
  const open2 = (url: string) => {
    const session = connectHttp2(url, { rejectUnauthorized: false })
    onTestFinished(() => session.destroy())
    return session
  }
  const get = async (session: ReturnType<typeof open2>) => {
    const stream = session.request({ ':path': '/plants', authorization: 'Bearer t' })
    const [headers] = await once(stream, 'response')
    stream.resume()
    await once(stream, 'end')
    return headers[':status']
  }

  it.each([
    ['http', createHttp2Server],
    ['https', createWithBoth],
  ])('over %s ends its streams, opens no others and closes', async (scheme, serverOf) => {
    const { port, close } = await start(serverOf)
    const session = open2(`${scheme}://127.0.0.1:${port}`)
    const idle = open2(`${scheme}://127.0.0.1:${port}`)
    await Promise.all([once(session, 'connect'), once(idle, 'connect')])
    const goaway = once(idle, 'goaway')
    const inFlight = get(session)
    await sleep(100)
    const closed = msOf(close())
    expect(await inFlight).toBe(200)
    await goaway
    expect(await closed).toBeLessThan(GRACE_MS / 2)
  })

  it.each([
    ['nothing', ''],
    ['no answer', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ])('closes beside a connection on which its client sends %s', async (_, sent) => {
    const { server, port, close } = await start(createHttp2Server)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(server, 'session')
    socket.write(sent)
    await sleep(100)
    expect(await msOf(close())).toBeLessThan(GRACE_MS / 2)
  })

  it('closes the session of a TLS handshake that ends meanwhile', async () => {
    const { port, close } = await start(createWithBoth)
    const socket = await open({ port })
    const closed = msOf(close())
    await sleep(80)
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      createConnection: () =>
        connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
    })
    onTestFinished(() => session.destroy())
    await once(session, 'goaway')
    expect(await closed).toBeLessThan(GRACE_MS / 2)
  })

  it('drops streams that never end when three quarters of graceMs have passed', async () => {
    const storage = { ...memoryStorage(), list: () => new Promise<never>(() => {}) }
    // Its call ends with the time limit, when another test runs.
    const store = createPlantStore(storage, () => ({ owner: 'alice' }), { onError() {} })
    const { port, close } = await start(createHttp2Server, store, 400)
    const session = open2(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':path': '/plants', authorization: 'Bearer t' })
    const dropped = once(stream, 'close')
    await once(session, 'connect')
    await sleep(100)
    expect(await msOf(close())).toBeLessThan(GRACE_MS / 2)
    await dropped
  })
})

it.each([0, 60])(
  'A TLS handshake that has begun ends, and the client is answered %i ms later, though the server was quiet before',
  async (ms) => {
    const { port, close } = await start(createWithTls)
    await sleep(300)
    const socket = await open({ port })
    const closed = close()
    await sleep(80)
    const client = connectTls({ socket, rejectUnauthorized: false })
    if (ms > 0) await once(client, 'secureConnect').then(() => sleep(ms))
    client.write(head('GET /plants'))
    const [response] = await once(client, 'data')
    expect(`${response}`).toMatch(/^HTTP\/1\.1 200 /)
    await closed
  },
)

describe('A client that never completes what it begins', () => {
  it.each([
    ['no TLS handshake', '', false],
    ['half a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00', false],
    ['no TLS handshake on a Unix socket, where all clients have one address', '', true],
  ])(
    'keeps an HTTPS server from closing for no longer than an idle one: %s',
    async (_, sent, isUnix) => {
      const { server, port, close } = await start(createWithTls)
      const path = join(folderOfTest(), 'socket')
      const front = createTcpServer((socket) => server.emit('connection', socket)).listen(path)
      onTestFinished(() => void front.close())
      await once(front, 'listening')
      const address = isUnix ? { path } : { port }
      for (const bytes of [sent, sent, sent]) (await open(address)).write(bytes, 'latin1')
      // As browsers do.
      const options = { ALPNProtocols: ['http/1.1'], rejectUnauthorized: false }
      const used = connectTls({ ...address, ...options }).on('error', () => {})
      onTestFinished(() => void used.destroy())
      await once(used, 'secureConnect')
      expect(await msOf(close())).toBeLessThan(GRACE_MS / 2)
    },
  )

  it('keeps an HTTP server by a trickling head for a small part of graceMs', async () => {
    const { port, close } = await serve(slowStore(), { port: 0, graceMs: GRACE_MS, signals: false })
    const socket = await open({ port })
    socket.write('GET /plants HTTP/1.1\r\nX-Slow: ')
    const trickle = setInterval(() => socket.write('a'), 30)
    onTestFinished(() => clearInterval(trickle))
    await sleep(200)
    expect(await msOf(close())).toBeLessThan(GRACE_MS / 2)
  })
})

describe('SIGTERM', () => {
  async function startUnder(runtime: string) {
    const program = await startProgram(`${runtime} test/adapters/flushing-server.ts`)
    onTestFinished(program.kill)
    return program
  }

  it.each(['bun --watch', 'bun --hot', 'node --watch'])(
    'ends a server under %s at once',
    async (runtime) => {
      const { signal } = await startUnder(runtime)
      expect(await msOf(signal('SIGTERM'))).toBeLessThan(9000)
    },
  )

  it.each(['node', 'deno run --allow-all'])(
    'lets the app end what it begins when nothing is left to do: %s',
    async (runtime) => {
      const { output, signal } = await startUnder(runtime)
      expect(await signal('SIGTERM')).toBe(0)
      expect(output()).toMatch(/flushed\n$/)
    },
  )

  it('ends a worker of node:cluster when nothing is left to do, although its channel is open', async () => {
    const primary = `
      import cluster from 'node:cluster'
      cluster.setupPrimary({ exec: 'test/adapters/flushing-server.ts', execArgv: [] })
      const worker = cluster.fork()
      process.on('SIGTERM', () => worker.process.kill('SIGTERM'))`
    const program = await startProgram(['node', '--input-type=module', '--eval', primary])
    onTestFinished(program.kill)
    expect(await program.signal('SIGTERM')).toBe(0)
    expect(program.output()).toMatch(/flushed\n$/)
  })

  it('ends the watcher of Deno, which outlives the program, when it comes again', async () => {
    const { output, signal } = await startUnder('deno run --allow-all --watch')
    void signal('SIGTERM')
    await expect.poll(output, { timeout: 5000 }).toContain('finished')
    expect(await msOf(signal('SIGTERM'))).toBeLessThan(9000)
  })
})
