import { createServer, type RequestListener, ServerResponse } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Reply, readChunks } from '../../../src/adapter.ts'
import {
  answering,
  type BrokenAdapter,
  bodies,
  fields,
  headers,
  lists,
  replies,
  requests,
  sending,
  urls,
} from './adapter-of.ts'

/** Takes the mount path off, and forgets it. */
const mountedBehind = (prefix: RegExp): BrokenAdapter => ({
  isMounted: true,
  serve: (listener) =>
    createServer((message, response) => {
      message.url = message.url!.replace(prefix, '')
      listener(message, response)
    }),
})

const dropping = (name: string) => headers(({ [name]: _, ...others }) => others)

const sendingText = headers((headers) => ({ ...headers, 'content-type': 'text/plain' }))

const destroyedAfter = (refusal: number) =>
  sending(({ status, headers, body }, { message, response }) => {
    if (status !== refusal) return
    response.writeHead(status, headers).end(body, () => message.socket.destroy())
  })

const serveLeniently = (listener: RequestListener) =>
  createServer({ insecureHTTPParser: true }, listener)

const incomplete = requests((_, message) => ({
  async readBody() {
    const chunks: Uint8Array[] = []
    message.on('data', (chunk) => chunks.push(chunk))
    await new Promise((resolve) => message.once('close', resolve))
    return Buffer.concat(chunks)
  },
}))

let lastUser: string | null = null
let lastTurn: Promise<Reply | undefined> = Promise.resolve(undefined)
const cached: Record<string, Reply | undefined> = {}

/**
 * Adapters with one mistake each, by the rule that must catch it, with the version of HTTP if that isn't 1.1, and the
 * mistake.
 */
export const brokenAdapters: Record<string, BrokenAdapter> = {
  'content-length: announces characters instead of bytes': sending(
    ({ status, headers, body }, { response }) => {
      if (typeof body !== 'string') return
      response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
    },
  ),
  'keep-alive: ends a 204 with an empty chunk': sending(({ status }, { message, response }) => {
    if (status === 204) response.once('finish', () => message.socket.write('0\r\n\r\n'))
  }),
  'keep-alive: leaves a listener on the connection': sending((_, { message }) => {
    message.socket.on('timeout', () => {})
  }),
  'readable-refusal: destroys the connection after a 413': destroyedAfter(413),
  'readable-refusal: destroys the connection after a 401': destroyedAfter(401),
  'early-refusal: reads the whole body before it asks the store': {
    async handle(request, { store }) {
      const body = await request.readBody(Number.POSITIVE_INFINITY)
      return store.handle({ ...request, readBody: () => body })
    },
  },
  'truncated-list: ends a list that fails': sending((_, { response }) => {
    response.destroy = () => response.end()
  }),
  'truncated-list: ends a list that fails after 1 MiB': sending((_, { response }) => {
    const destroy = response.destroy.bind(response)
    const isLong = () => Number(response.socket?.bytesWritten) > 2 ** 20
    response.destroy = () => (isLong() ? response.end() : destroy())
  }),
  'truncated-list over HTTP/1.0: closes a list that fails over HTTP/1.0': sending(
    (_, { message: { socket } }) => {
      socket.resetAndDestroy = () => socket.end()
    },
  ),
  'hang-up: ignores that the client has hung up': lists((response, part) => {
    response.write(part)
  }),
  'backpressure: does not wait for the client': lists((response, part) => {
    if (response.destroyed) throw new Error('The client has disconnected')
    response.write(part)
  }),
  'head: forgets HEAD': answering(({ method }) => method === 'HEAD'),
  'head: says that there is no body': sending(({ status, headers }, { message, response }) => {
    const none = { ...headers, 'content-length': 0 }
    if (message.method === 'HEAD') response.writeHead(status, none).end()
  }),
  'link: drops Link': dropping('link'),
  'methods: drops Allow': dropping('allow'),
  'options: drops Allow': dropping('allow'),
  'methods: lets a field override the method': requests(({ method, headers }) => ({
    method: headers.get('x-http-method-override') ?? method,
  })),
  'token: lower-cases the token': fields((_, value) => value?.toLowerCase() ?? null),
  'token: drops WWW-Authenticate': dropping('www-authenticate'),
  'failures: drops Retry-After': dropping('retry-after'),
  'list-query: drops the query': urls((url) => url.replace(/\?.*/, '')),
  'verifier-request: loses the mount path': mountedBehind(/^\/api/),
  'verifier-request: makes each request a GET': requests(({ toRequest }) => ({
    toRequest: () => new Request(toRequest(), { method: 'GET' }),
  })),
  'absolute-target: passes an absolute target behind the host’s origin': urls(
    (url) => `http://localhost${url}`,
  ),
  'create: sends a plant as text': sendingText,
  'invalid-plant: sends an error as text': sendingText,
  'create: parses JSON and writes it again': bodies((text) => JSON.stringify(JSON.parse(text))),
  'id-in-path: decodes the path': urls((url) => url.replaceAll('%2F', '/')),
  'malformed-percent-encoding: answers it itself': answering(
    ({ url }) => /%(?![\da-f]{2})/i.test(url),
    404,
  ),
  'other-paths: takes a slash off the end of the path': urls((url) => url.replace(/(?<=.)\/$/, '')),
  'repeated-fields: keeps the first of two fields': fields(
    (name, _, { headers }) => (headers[name] as string | undefined) ?? null,
  ),
  'repeated-fields: keeps the last of two fields': fields(
    (name, _, { headersDistinct }) => headersDistinct[name]?.at(-1) ?? null,
  ),
  'repeated-fields: keeps one Content-Type': fields((name, value, { headers }) =>
    name === 'content-type' ? (headers[name] ?? null) : value,
  ),
  'media-type: hides Content-Encoding': fields((name, value) =>
    name === 'content-encoding' ? null : value,
  ),
  'scope: has a list of scopes of its own': headers((headers, status) =>
    status === 403 ? {} : headers,
  ),
  'token-first: looks at the media type before the token is checked': answering(
    ({ method, headers }) => method === 'POST' && headers.get('content-type') === 'text/plain',
    415,
  ),
  'pipelining: answers pipelined requests as they get ready': {
    serve: (listener) =>
      createServer((message) => {
        const { socket } = message
        const write: Writable['_write'] = (bytes, _, done) => void socket.write(bytes, done)
        const response = new ServerResponse(message)
        response.assignSocket(new Writable({ write }) as Socket)
        listener(message, response)
      }),
  },
  'caller: asks for Authorization itself': answering(
    ({ headers }) => headers.get('authorization') === null,
    401,
  ),
  'failing-wrapper: swallows the error of the app’s wrapper': {
    async handle(request, { store }) {
      try {
        return await store.handle(request)
      } catch {
        return { status: 204, headers: {}, body: null }
      }
    },
  },
  'failing-wrapper: swallows the rejection of the app’s wrapper': {
    handle: (request, { store }) => store.handle(request).catch(() => undefined),
  },
  'malformed-json: replaces what is not UTF-8': bodies((text) => text),
  'invalid-plant: has error values of its own': replies(({ body }) => ({
    body: body && `${body}`.replace(/"error":\d+/, '"error":1'),
  })),
  'body-limit: has a limit of its own': requests(({ readBody }) => ({
    readBody: (maxBytes) => readBody(Math.min(maxBytes, 10_000)),
  })),
  'incomplete-body: creates from an incomplete body': incomplete,
  'incomplete-body over HTTP/2: creates from an incomplete body': {
    ...incomplete,
    serve: (listener) => createHttp2(listener as never),
  },
  'expect-continue: never sends 100 Continue': {
    serve: (listener) => createServer(listener).on('checkContinue', listener),
  },
  'untrusted-length: believes a length beside Transfer-Encoding': {
    serve: serveLeniently,
    ...requests((_, message) => ({
      readBody(maxBytes) {
        const isSmall = Number(message.headers['content-length']) <= maxBytes
        return readChunks(message, isSmall ? Number.POSITIVE_INFINITY : maxBytes)
      },
    })),
  },
  'fragments: decodes each chunk of a body': requests((_, message) => ({
    async readBody() {
      let text = ''
      for await (const chunk of message) text += chunk.toString()
      return text
    },
  })),
  'smuggled-request: serves a body as a request': { serve: serveLeniently },
  'connection-close: keeps a connection that the client wants closed': headers((headers) => ({
    ...headers,
    connection: 'keep-alive',
  })),
  'token: looks for a field by its name as it was sent': fields((name, _, { rawHeaders }) => {
    const at = rawHeaders.indexOf(name)
    return at < 0 ? null : rawHeaders[at + 1]!
  }),
  'other-paths: takes what begins like the mount path off': mountedBehind(/^.*?\/api[^/]*/),
  'long-list: gives the size of a chunk in characters': lists((response, part) => {
    response.flushHeaders()
    const chunk = `${part.length.toString(16)}\r\n${part}\r\n`
    // Behind Node's back.
    return new Promise((resolve) => response.socket!.write(chunk, resolve))
  }),
  'long-list over HTTP/1.0: sends chunks over HTTP/1.0': headers((headers) => ({
    ...headers,
    'transfer-encoding': 'chunked',
  })),
  'options: answers OPTIONS itself': answering(({ method }) => method === 'OPTIONS', 200),
  'isolation: caches lists by their URL': {
    async handle(request, { store }) {
      const { method, url } = request
      if (method !== 'GET') return store.handle(request)
      cached[url] ??= await store.handle(request)
      return cached[url]
    },
  },
  'own-response: shares a variable between requests': {
    async handle(request, { store }) {
      const get = (name: string) =>
        name === 'authorization' ? lastUser : request.headers.get(name)
      lastUser = request.headers.get('authorization')
      await delay(5)
      return store.handle({ ...request, headers: { get } })
    },
  },
  'slow-verifier: serves one request after the other': {
    handle(request, { store }) {
      lastTurn = lastTurn.then(() => store.handle(request))
      return lastTurn
    },
  },
  'create-list-delete: sends a content type with 204': headers((headers) => ({
    ...headers,
    'content-type': 'application/json',
  })),
  'half-close: takes the end of the client’s side for a hang-up': {
    async handle(request, { store }) {
      await delay(20)
      return store.handle(request)
    },
  },
  'unread-body: leaves a small body in the connection': sending(
    ({ status }, { message, response }) => {
      if (status === 401) response.once('finish', () => message.socket.destroySoon())
    },
  ),
}
