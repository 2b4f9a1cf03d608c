import { once } from 'node:events'
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
import { connect as connectSocket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
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
import { listening } from '../../shared/listening.ts'
import { createHeaders, frame, PREFACE, settings, TYPE } from './http2-frames.ts'
import { plants } from './plants.ts'
import { tls } from './tls.ts'

let session: ClientHttp2Session
afterEach(() => {
  session?.destroy()
})

async function connectTo(store: PlantStore) {
  const { url, port } = await listening(createServer(toNodeHandler(store)))
  session = connect(url)
  return port
}

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

describe('a verifier that asks for the Request of HTTP/2', () => {
  it('gets its URL, with https if the client used TLS', async () => {
    const urls: string[] = []
    const store = createPlantStore(memoryStorage(), (_token, { request }) => {
      urls.push(request.url)
      return { owner: 'alice' }
    })
    const { url } = await listening(createSecureServer(tls, toNodeHandler(store)))
    session = connect(url, { rejectUnauthorized: false })
    await call({ ...AUTH, ':path': '/plants?limit=1' })
    expect(urls).toEqual([`${url}/plants?limit=1`])
  })

  it('gets it, already aborted, although its client has disconnected', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    const { promise: seen, resolve: see } = Promise.withResolvers<Request>()
    const store = createPlantStore(memoryStorage(), async (_token, context) => {
      ask()
      await left
      see(context.request)
      return null
    })
    const { server, port } = await listening(createServer(toNodeHandler(store)))
    server.on('session', (serverSession) => serverSession.on('close', leave))
    session = connect(`http://localhost:${port}`)
    session.request(AUTH).on('error', () => {})
    await asked
    session.destroy()
    const { url, signal } = await seen
    expect([url, signal.aborted]).toEqual([`http://localhost:${port}/plants`, true])
  })
})

describe('over HTTP/2', () => {
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
      const data = frame(TYPE.data, 0, 1, Buffer.from('{"id":1,"name":"Aloe"}'))
      socket.write(Buffer.concat([PREFACE, settings(), createHeaders(1), data]))
      if (isWaiting) await expect.poll(() => handled.length).toBe(1)
      socket.write(frame(TYPE.rstStream, 0, 1, Buffer.alloc(4)))
      await expect.poll(() => handled.length).toBe(1)
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
})
