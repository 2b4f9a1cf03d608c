import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttp2 } from 'node:http2'
import type { Server } from 'node:net'
import type { IncomingRequest } from '../../../src/adapter.ts'
import { correct, type Decisions } from './adapter-of.ts'

/** The decisions that are wrong, and how the adapter is served. */
export interface BrokenAdapter extends Partial<Decisions> {
  /** Makes the server. Default: `createServer` of node:http. */
  readonly serve?: (listener: RequestListener) => Server
  /** Whether it is mounted at `/api`. Default: false. */
  readonly isMounted?: boolean
}

const { readBody, url, handle, headers, header, toRequest } = correct
const unlimited = Number.POSITIVE_INFINITY
let lastUrl = ''
let lastTurn: Promise<unknown> = Promise.resolve()
const lists: Record<string, unknown> = {}
const withoutHeader = (name: string): Partial<Decisions> => ({
  headers({ headers }) {
    const { [name]: _, ...others } = headers as Record<string, string>
    return others
  },
})
const parsing = (change: (text: string) => string): Partial<Decisions> => ({
  async readBody(message, maxBytes) {
    const bytes = await readBody(message, maxBytes)
    return bytes && Buffer.from(change(Buffer.from(bytes as Uint8Array).toString()))
  },
})

/** Answers some requests itself. Without a status, it says that no route matches. */
function answering(isIts: (request: IncomingRequest) => boolean, status?: number, headers = {}) {
  const reply = status && { status, headers, body: '' }
  const wrong: Partial<Decisions> = {
    handle: (store, request) => (isIts(request) ? reply : handle(store, request)),
  }
  return wrong
}

const serveLeniently = (listener: RequestListener) =>
  createServer({ insecureHTTPParser: true }, listener)

const readIncomplete: Decisions['readBody'] = async (message) => {
  const chunks: Uint8Array[] = []
  const read = async () => {
    for await (const chunk of message) chunks.push(chunk)
  }
  await read().catch(() => {})
  return Buffer.concat(chunks)
}

/**
 * Adapters with one mistake each, by the rule that must catch it, with the version of HTTP if that isn't 1.1, and the
 * mistake.
 */
export const brokenAdapters: Record<string, BrokenAdapter> = {
  'content-length: announces characters instead of bytes': { lengthOf: (text) => text.length },
  'keep-alive: ends a 204 with an empty chunk': {
    end(message, response, body) {
      response.end(message.method === 'HEAD' ? undefined : body)
      if (response.statusCode === 204) message.socket.write('0\r\n\r\n')
    },
  },
  'readable-refusal: destroys the connection after a 413': {
    async refuse(message, response, body) {
      response.end(body, () => message.socket.destroy())
    },
  },
  'early-refusal: reads the whole body before it asks the store': {
    async handle(store, request) {
      const body = await request.readBody(unlimited)
      return handle(store, { ...request, readBody: () => body })
    },
  },
  'truncated-list: ends a list that fails': { abortResponse: (_, response) => void response.end() },
  'truncated-list over HTTP/1.0: closes a list that fails over HTTP/1.0': {
    abortResponse: (_, response) => void response.socket?.end(),
  },
  'hang-up: ignores that the client has hung up': {
    write: async (response, part) => void response.write(part),
    isAborted: () => false,
  },
  'backpressure: does not wait for the client': {
    async write(response, part) {
      if (response.destroyed) throw new Error('The client has disconnected')
      response.write(part)
    },
  },
  'head: forgets HEAD': answering(({ method }) => method === 'HEAD'),
  'link: drops Link': withoutHeader('link'),
  'methods: lets a field override the method': {
    method: (message) => header(message, 'x-http-method-override') ?? message.method!,
  },
  'token: lower-cases the token': {
    header: (message, name) => header(message, name)?.toLowerCase() ?? null,
  },
  'failures: drops Retry-After': withoutHeader('retry-after'),
  'list-query: drops the query': { url: (message) => url(message).replace(/\?.*/, '') },
  'verifier-request: loses the mount path': {
    isMounted: true,
    toRequest(message) {
      const request = toRequest(message)
      return new Request(request.url.replace('/api/', '/'), request)
    },
  },
  'absolute-target: passes an absolute target behind the host’s origin': {
    url: (message) => `http://localhost${url(message)}`,
  },
  'create: parses JSON and writes it again': parsing((text) => JSON.stringify(JSON.parse(text))),
  'id-in-path: decodes the path': { url: (message) => url(message).replaceAll('%2F', '/') },
  'malformed-percent-encoding: answers it itself': answering(
    ({ url }) => /%(?![\da-f]{2})/i.test(url),
    404,
  ),
  'other-paths: takes a slash off the end of the path': {
    url: (message) => url(message).replace(/(?<=.)\/$/, ''),
  },
  'repeated-fields: keeps the first of two fields': {
    header: (message, name) => (message.headers[name] as string | undefined) ?? null,
  },
  'repeated-fields: keeps the last of two fields': {
    header: ({ headersDistinct }, name) => headersDistinct[name]?.at(-1) ?? null,
  },
  'media-type: trims the parameters of Content-Type': {
    header: (message, name) =>
      name === 'content-encoding' ? null : (header(message, name)?.split(';')[0] ?? null),
  },
  'scope: has a list of scopes of its own': {
    headers: (reply) => (reply.status === 403 ? {} : headers(reply)),
  },
  'token-first: looks at the media type before the token is checked': answering(
    ({ method, headers }) => method === 'POST' && headers.get('content-type') === 'text/plain',
    415,
  ),
  'pipelining: answers pipelined requests as they get ready': {
    end({ socket }, response, body) {
      const fields = Object.entries(response.getHeaders())
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      socket.write(`HTTP/1.1 ${response.statusCode} -\r\n${lines}\r\n${body}`)
    },
  },
  'caller: asks for Authorization itself': answering(
    ({ headers }) => headers.get('authorization') === null,
    401,
  ),
  'failing-wrapper: swallows the error of the app’s wrapper': {
    recover: async () => ({ status: 204, headers: {}, body: null }),
  },
  'malformed-json: replaces what is not UTF-8': parsing((text) => text),
  'invalid-plant: has error values of its own': {
    async handle(store, request) {
      const reply = (await store.handle(request))!
      return { ...reply, body: reply.body && `${reply.body}`.replace(/"error":\d+/, '"error":1') }
    },
  },
  'body-limit: has a limit of its own': {
    readBody: (message, maxBytes) => readBody(message, Math.min(maxBytes, 10_000)),
  },
  'incomplete-body: creates from an incomplete body': { readBody: readIncomplete },
  'incomplete-body over HTTP/2: creates from an incomplete body': {
    readBody: readIncomplete,
    // node:http2 has no headersDistinct.
    header: ({ headers }, name) => (headers[name] as string) ?? null,
    toRequest: () => new Request('http://localhost'),
    serve: (listener) => createHttp2(listener as never),
  },
  'expect-continue: never sends 100 Continue': {
    serve: (listener) => createServer(listener).on('checkContinue', listener),
  },
  'untrusted-length: believes a length beside Transfer-Encoding': {
    serve: serveLeniently,
    async readBody(message, maxBytes) {
      const isSmall = Number(message.headers['content-length']) <= maxBytes
      return readBody(message, isSmall ? unlimited : maxBytes)
    },
  },
  'fragments: decodes each chunk of a body': {
    async readBody(message) {
      let text = ''
      for await (const chunk of message) text += chunk.toString()
      return Buffer.from(text)
    },
  },
  'smuggled-request: serves a body as a request': { serve: serveLeniently },
  'connection-close: keeps a connection that the client wants closed': {
    headers: (reply) => ({ ...headers(reply), connection: 'keep-alive' }),
  },
  'token: looks for a field by its name as it was sent': {
    header({ rawHeaders }, name) {
      const at = rawHeaders.indexOf(name)
      return at < 0 ? null : rawHeaders[at + 1]!
    },
  },
  'other-paths: takes what begins like the mount path off': {
    isMounted: true,
    url: ({ url }) => url!.replace(/^.*?\/api[^/]*/, ''),
  },
  'long-list: gives the size of a chunk in characters': {
    async write(response, part) {
      response.flushHeaders()
      const chunk = `${part.length.toString(16)}\r\n${part}\r\n`
      // Behind Node's back.
      await new Promise((resolve) => response.socket!.write(chunk, resolve))
    },
  },
  'long-list over HTTP/1.0: sends chunks over HTTP/1.0': {
    headers: (reply) => ({ ...headers(reply), 'transfer-encoding': 'chunked' }),
  },
  'options: answers OPTIONS itself': answering(({ method }) => method === 'OPTIONS', 200),
  'isolation: caches lists by their URL': {
    async handle(store, request) {
      if (request.method !== 'GET') return handle(store, request)
      lists[request.url] ??= await store.handle(request)
      return lists[request.url]
    },
  },
  'own-response: shares a variable between requests': {
    async handle(store, request) {
      lastUrl = request.headers.get('authorization') ?? ''
      await new Promise((resolve) => setTimeout(resolve, 5))
      const get = (name: string) =>
        name === 'authorization' ? lastUrl || null : request.headers.get(name)
      return handle(store, { ...request, headers: { get } })
    },
  },
  'slow-verifier: serves one request after the other': {
    handle(store, request) {
      lastTurn = lastTurn.then(() => store.handle(request))
      return lastTurn
    },
  },
  'create-list-delete: sends a body with 204': {
    headers: (reply) => ({ ...headers(reply), 'content-type': 'application/json' }),
  },
  'half-close: takes the end of the client’s side for a hang-up': {
    async handle(store, request) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return handle(store, request)
    },
  },
  'unread-body: leaves a small body in the connection': {
    end(message, response, body) {
      response.end(message.method === 'HEAD' ? undefined : body)
      if (response.statusCode === 401) message.socket.destroySoon()
    },
  },
}
