import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { createServer as createHttpsServer, request as httpsRequest } from 'node:https'
import { connect as connectSocket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toNodeHandler } from '../../../adapters/node.ts'
import { staticTokens } from '../../../src/auth/tokens.ts'
import {
  type AuthVerifier,
  createPlantStore,
  type MaybePromise,
  type PlantStore,
  type Reply,
} from '../../../src/index.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import {
  END_HEADERS,
  frame,
  PREFACE,
  requestHeaders,
  settings,
  TYPE,
} from '../../hostile/http2-frames.ts'
import { listening } from '../../shared/listening.ts'
import { longList, observedStore } from './long-list.ts'

type RequestHandler = ReturnType<typeof toNodeHandler>

const pem = readFileSync(new URL('./test-certificate.pem', import.meta.url))
const tls = { key: pem, cert: pem }

let session: ClientHttp2Session
afterEach(() => {
  session?.destroy()
})

async function connectTo(store: PlantStore) {
  const { url, port } = await listening(createServer(toNodeHandler(store)))
  session = connect(url)
  return port
}

const plants = () => createPlantStore(memoryStorage(), staticTokens({ t: 'alice' }))
const AUTH = { ':path': '/plants', authorization: 'Bearer t' }
const POST = { ...AUTH, ':method': 'POST', 'content-type': 'application/json' }

async function answer(stream: ClientHttp2Stream) {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  let body = ''
  stream.setEncoding('utf8')
  stream.on('data', (part) => {
    body += part
  })
  await once(stream, 'end')
  return { status: headers[':status'], headers, body }
}

async function call(headers: OutgoingHttpHeaders, body?: string) {
  const stream = session.request(headers, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
  return answer(stream)
}

/** A store whose verifier collects the URLs of its requests. */
function urlsOf() {
  const urls: string[] = []
  const store = createPlantStore(memoryStorage(), (_token, { request }) => {
    urls.push(request.url)
    return { owner: 'alice' }
  })
  return { store, urls }
}

describe.each([
  ['http', createServer],
  ['https', (handler: RequestHandler) => createSecureServer(tls, handler)],
])('HTTP/2 over %s', (scheme, serverOf) => {
  const create = () => serverOf(toNodeHandler(plants()))

  it('shows the verifier the URL with its scheme', async () => {
    const { store, urls } = urlsOf()
    const { url, port } = await listening(serverOf(toNodeHandler(store)))
    session = connect(url, { rejectUnauthorized: false })
    await call({ ...AUTH, ':path': '/plants?limit=1' })
    expect(urls).toEqual([`${scheme}://127.0.0.1:${port}/plants?limit=1`])
  })

  it('manages plants', async () => {
    const { url } = await listening(create())
    session = connect(url, { rejectUnauthorized: false })
    expect(await call(POST, '{"id":7,"name":"Aloe"}')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Aloe"}',
    })
    expect(await call(AUTH)).toMatchObject({ status: 200, body: '[{"name":"Aloe"}]' })
    expect(await call({ ...AUTH, ':method': 'HEAD' })).toMatchObject({ status: 200, body: '' })
    const remove = { ...AUTH, ':method': 'DELETE', ':path': '/plants/7' }
    expect(await call(remove)).toMatchObject({ status: 204, body: '' })
    expect(await call(remove)).toMatchObject({ status: 404 })
    expect(await call({ ':path': '/plants' })).toMatchObject({ status: 401 })
    expect(await call({ ...AUTH, ':path': '/nowhere' })).toMatchObject({ status: 404 })
  })
})

describe('one handler', () => {
  it('serves HTTPS and HTTP/1.1 too', async () => {
    const { store, urls } = urlsOf()
    const { port } = await listening(createHttpsServer(tls, toNodeHandler(store)))
    const request = httpsRequest({
      port,
      path: '/plants',
      headers: { authorization: 'Bearer t' },
      rejectUnauthorized: false,
      agent: false,
    }).end()
    const [response] = await once(request, 'response')
    expect(response.statusCode).toBe(200)
    expect(urls).toEqual([`https://localhost:${port}/plants`])
    response.resume()
    await once(response, 'end')
  })
})

describe('a verifier that asks for the Request of HTTP/2', () => {
  /** A store whose verifier asks for the Request when it is released. */
  function asking() {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: request, resolve, reject } = Promise.withResolvers<Request>()
    const store = createPlantStore(memoryStorage(), async (_token, context) => {
      ask()
      await released
      try {
        resolve(context.request)
      } catch (error) {
        reject(error)
      }
      return { owner: 'alice' }
    })
    return { store, asked, release, request }
  }

  it('gets an https: URL with TLS', async () => {
    const { store, release, request } = asking()
    release()
    const { port } = await listening(createSecureServer(tls, toNodeHandler(store)))
    session = connect(`https://localhost:${port}`, { rejectUnauthorized: false })
    expect(await call(AUTH)).toMatchObject({ status: 200 })
    expect((await request).url).toBe(`https://localhost:${port}/plants`)
  })

  it('gets it, already aborted, although its client has disconnected', async () => {
    const { store, asked, release, request } = asking()
    const { server, port } = await listening(createServer(toNodeHandler(store)))
    const left = new Promise((resolve) => {
      server.on('session', (serverSession) => serverSession.on('close', resolve))
    })
    session = connect(`http://localhost:${port}`)
    session.request(AUTH).on('error', () => {})
    await asked
    session.destroy()
    await left
    release()
    const { url, signal } = await request
    expect([url, signal.aborted]).toEqual([`http://localhost:${port}/plants`, true])
  })
})

describe('over HTTP/2', () => {
  it.each([
    ['without a token', { ...POST, authorization: 'None' }, 401],
    ['of another type', { ...POST, 'content-type': 'text/plain' }, 415],
    ['announced as too large', { ...POST, 'content-length': '100000000' }, 413],
    ['that is found too large on the way', POST, 413],
  ])('a large body %s is answered before it has been sent', async (_, headers, status) => {
    await connectTo(plants())
    const stream = session.request(headers)
    stream.on('error', () => {})
    stream.write(Buffer.alloc(3_000_000, ' '))
    expect(await answer(stream)).toMatchObject({ status })
  })

  // Node itself stops only what nobody has read.
  it.each([
    ['unread', { ...POST, authorization: 'None' }, 401],
    ['read in part', POST, 413],
  ])(
    'a client that keeps sending a rejected body is told to stop, without an error: %s',
    async (_, headers, status) => {
      await connectTo(plants())
      const stream = session.request(headers)
      const aborted = once(stream, 'aborted')
      stream.write(Buffer.alloc(3_000_000, ' '))
      expect(await answer(stream)).toMatchObject({ status })
      await aborted
      expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    },
  )

  const verifyAtOnce: AuthVerifier = staticTokens({ t: 'alice' })
  const verifyLate: AuthVerifier = async (token, context) => {
    await setTimeout(200)
    return verifyAtOnce(token, context)
  }
  it.each([
    ['at once', false, verifyAtOnce],
    ['when the store waits for the end', true, verifyAtOnce],
    ['while the verifier works', true, verifyLate],
  ])(
    'a create that is reset before its end leaves nothing behind: %s',
    async (_, isWaiting, verify) => {
      const store = createPlantStore(memoryStorage(), verify)
      const handled: MaybePromise<Reply | undefined>[] = []
      const port = await connectTo({
        ...store,
        handle(request) {
          const reply = store.handle(request)
          handled.push(reply)
          return reply
        },
      })
      // Not with Node's client, which ends a stream before it resets it.
      const socket = connectSocket(port)
      const fields = { method: 'POST', path: '/plants', token: 't', flags: END_HEADERS }
      const data = frame(TYPE.data, 0, 1, Buffer.from('{"id":1,"name":"Aloe"}'))
      socket.write(Buffer.concat([PREFACE, settings(), requestHeaders(1, fields), data]))
      if (isWaiting) await vi.waitUntil(() => handled.length === 1)
      socket.write(frame(TYPE.rstStream, 0, 1, Buffer.alloc(4)))
      await vi.waitUntil(() => handled.length === 1)
      expect(await handled[0]).toMatchObject({ status: 499 })
      expect((await call(AUTH)).body).toBe('[]')
      socket.destroy()
    },
  )

  it('a body that was empty, and that a middleware has read, is not valid JSON', async () => {
    const handler = toNodeHandler(plants())
    const app = createServer((request, response) => {
      request.once('end', () => handler(request, response)).resume()
    })
    session = connect((await listening(app)).url)
    expect(await call(POST)).toMatchObject({ status: 400 })
  })

  it('what a client does not read is not read from the storage, and a hang-up ends it', async () => {
    const storage = longList(1_000_000, 'x'.repeat(1000))
    const { store, streams } = observedStore(storage)
    await connectTo(store)
    const stream = session.request(AUTH)
    stream.on('error', () => {})
    await once(stream, 'data')
    stream.pause()
    await vi.waitUntil(() => streams.length === 1)
    stream.close(constants.NGHTTP2_CANCEL)
    await streams[0]
    expect(storage.reads).toBeLessThan(20)
  })

  it('a long list is streamed whole', async () => {
    const { store } = observedStore(longList(20_000))
    await connectTo(store)
    const { body } = await call(AUTH)
    expect(JSON.parse(body)).toHaveLength(20_000)
  })

  it('a failure in the middle of a list resets the stream', async () => {
    const storage = longList(10_000)
    const { list } = storage
    storage.list = async (owner, page) => {
      if (storage.reads < 3) return list(owner, page)
      await setImmediate()
      throw new Error('The disk is gone')
    }
    await connectTo(observedStore(storage).store)
    await expect(call(AUTH)).rejects.toThrow('NGHTTP2_INTERNAL_ERROR')
  })

  it('a session that is lost in the middle of a list stops the work', async () => {
    const storage = longList(1_000_000, 'x'.repeat(1000))
    const { store, streams } = observedStore(storage)
    await connectTo(store)
    const stream = session.request(AUTH)
    stream.on('error', () => {})
    await once(stream, 'data')
    session.destroy()
    await streams[0]
    expect(storage.reads).toBeLessThan(100)
  })
})
