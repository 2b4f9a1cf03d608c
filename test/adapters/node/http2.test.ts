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
import Fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { toFastifyPlugin } from '../../../adapters/fastify.ts'
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
import { testPlantAdapter } from '../../../src/testing.ts'
import { limits } from '../../frameworks/limits.ts'
import { listening } from '../../shared/listening.ts'
import { plants } from '../../shared/plants.ts'
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

it.each([
  ['http', (handler: any) => createServer(handler)],
  ['https', (handler: any) => createSecureServer(tls, handler)],
])(
  'a verifier gets a Request of HTTP/2 over %s, already aborted, although its client has disconnected',
  async (scheme, serverOf) => {
    const asked = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const seen = Promise.withResolvers<Request>()
    const store = createPlantStore(memoryStorage(), async (_token, context) => {
      asked.resolve()
      await left.promise
      seen.resolve(context.request)
      return null
    })
    const { server, port } = await listening(serverOf(toNodeHandler(store)))
    server.on('session', (serverSession) => serverSession.on('close', left.resolve))
    session = connect(`${scheme}://localhost:${port}`, { rejectUnauthorized: false })
    session.request(AUTH).on('error', () => {})
    await asked.promise
    session.destroy()
    const { url, signal } = await seen.promise
    expect([url, signal.aborted]).toEqual([`${scheme}://localhost:${port}/plants`, true])
  },
)

/** A frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, payload: Uint8Array, stream = 1): Uint8Array {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.set([type, flags], 3)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** The beginning of a create: preface, SETTINGS, HEADERS with literal fields (RFC 7541, section 6.2.2), DATA. */
function createWithoutEnd(): Uint8Array {
  const { authorization, 'content-type': type, ...pseudo } = POST
  const target = { ...pseudo, ':scheme': 'http', ':authority': 'garden' }
  const fields = { ...target, authorization, 'content-type': type }
  const literals = Object.entries(fields).flatMap(([name, value]) => [
    ...[0, name.length, ...Buffer.from(name)],
    ...[value.length, ...Buffer.from(value)],
  ])
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(4, 0, Buffer.alloc(0), 0),
    frame(1, constants.NGHTTP2_FLAG_END_HEADERS, Buffer.from(literals)),
    frame(0, 0, Buffer.from('{"id":1,"name":"Aloe"}')),
  ])
}
const RST_STREAM = frame(3, 0, Buffer.alloc(4))

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
    ['before a wrapper passes it on', false, verifyAtOnce],
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
          const turn = isWaiting ? Promise.resolve() : setTimeout(200)
          const reply = turn.then(() => store.handle(request))
          handled.push(reply)
          return reply
        },
      })
      // Not with Node's client, which ends a stream before it resets it.
      const socket = connectSocket(port)
      socket.write(createWithoutEnd())
      if (isWaiting) await expect.poll(() => handled.length).toBe(1)
      socket.write(RST_STREAM)
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

// Without TLS, it is the same over HTTP/2. The tests above have what differs.
describe('A server of node:http2 with TLS', () => {
  testPlantAdapter(
    { describe, it },
    async (store) => {
      const options = { ...tls, allowHTTP1: true }
      return listening(createSecureServer(options, toNodeHandler(store)))
    },
    {
      versions: ['2', '1.1', '1.0'],
      limits: {
        'truncated-list over HTTP/1.0':
          'only TLS’s close_notify is missing, and Node’s client ignores that',
      },
    },
  )
})

// Each of these options would change answers, if the plugin let it.
const OPTIONS_OF_FASTIFY = {
  bodyLimit: 1,
  exposeHeadRoutes: false,
  routerOptions: {
    maxParamLength: 3,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    caseSensitive: false,
  },
}

describe('Fastify with http2', () => {
  testPlantAdapter(
    { describe, it },
    async (store) => {
      const app = Fastify({ http2: true, ...OPTIONS_OF_FASTIFY })
      app.register(toFastifyPlugin(store))
      return { url: await app.listen({ port: 0 }), stop: () => app.close() }
    },
    { versions: ['2'], limits: limits.fastify },
  )
})
