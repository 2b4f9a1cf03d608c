import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http'
import { isStream, type Reply } from '../../../src/adapter.ts'
import { correct, type Decisions } from './adapter-of.ts'

/** The decisions that are wrong, how the adapter is served, and the rule that must catch it. */
interface BrokenAdapter extends Partial<Decisions> {
  /** The rule that must catch it, and the version of HTTP if that isn't 1.1. */
  readonly rule: string
  /** Options of the server. */
  readonly server?: ServerOptions
  /** Whether it is mounted at `/api`. Default: false. */
  readonly isMounted?: boolean
}

const { readBody, url, handle, headers, header, toRequest } = correct
const unlimited = Number.POSITIVE_INFINITY
let lastUrl = ''
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

const forHead = (change: (reply: Reply) => Partial<Reply>): Partial<Decisions> => ({
  async handle(store, request) {
    const reply = await store.handle(request)
    return request.method === 'HEAD' && reply ? { ...reply, ...change(reply) } : reply
  },
})

const withError = (change: (error: object) => object): Partial<Decisions> => ({
  async handle(store, request) {
    const reply = (await store.handle(request))!
    const isError = reply.status >= 400
    return isError ? { ...reply, body: JSON.stringify(change(JSON.parse(`${reply.body}`))) } : reply
  },
})

const mounted = (wrong: Partial<Decisions>) => ({ ...wrong, isMounted: true })
const leniently = (wrong: Partial<Decisions>) => ({
  ...wrong,
  server: { insecureHTTPParser: true },
})

/** Adapters with one mistake each, and the rule that must catch it. */
export const brokenAdapters: Record<string, BrokenAdapter> = {
  'announces characters instead of bytes': {
    rule: 'content-length',
    lengthOf: (text) => text.length,
  },
  'ends a 204 with an empty chunk': {
    rule: 'keep-alive',
    end(message, response, body) {
      response.end(message.method === 'HEAD' ? undefined : body)
      if (response.statusCode === 204) message.socket.write('0\r\n\r\n')
    },
  },
  'closes the connection after each response without saying so': {
    rule: 'keep-alive',
    end(message, response, body) {
      response.end(message.method === 'HEAD' ? undefined : body)
      response.once('finish', () => message.socket.end())
    },
  },
  'adds a listener to the connection for each create': {
    rule: 'keep-alive',
    readBody(message, maxBytes) {
      message.socket.on('close', () => {})
      return readBody(message, maxBytes)
    },
  },
  'destroys the connection after a 413': {
    rule: 'readable-refusal',
    async refuse(message, response, body) {
      response.end(body, () => message.socket.destroy())
    },
  },
  'leaves the rest of a refused body unread': {
    rule: 'readable-refusal',
    refuse: async (_, response, body) => void response.write(body),
  },
  'reads the whole body before it asks the store': {
    rule: 'early-refusal',
    async handle(store, request) {
      const body = await request.readBody(unlimited)
      return handle(store, { ...request, readBody: () => body })
    },
  },
  'ends a list that fails': {
    rule: 'truncated-list',
    abortResponse: (_, response) => void response.end(),
  },
  'neither ends nor breaks off a list that fails': { rule: 'truncated-list', abortResponse() {} },
  'closes a list that fails over HTTP/1.0': {
    rule: 'truncated-list over HTTP/1.0',
    abortResponse: (_, response) => void response.socket?.end(),
  },
  'ignores that the client has hung up': {
    rule: 'hang-up',
    write: async (response, part) => void response.write(part),
    isAborted: () => false,
  },
  'never begins a list': { rule: 'hang-up', write: () => new Promise(() => {}) },
  'does not wait for the client': {
    rule: 'backpressure',
    async write(response, part) {
      if (response.destroyed) throw new Error('The client has disconnected')
      response.write(part)
    },
  },
  'forgets HEAD': {
    rule: 'head',
    handle: (store, request) => (request.method === 'HEAD' ? undefined : handle(store, request)),
  },
  'announces a body of no bytes for HEAD of a long list': {
    rule: 'head',
    ...forHead(({ body }) => (isStream(body) ? { body: '' } : {})),
  },
  'drops Link for HEAD': {
    rule: 'head',
    ...forHead(({ headers: { link, ...headers } }) => ({ headers })),
  },
  'drops Link': { rule: 'link', ...withoutHeader('link') },
  'makes Link absolute, without the mount path': {
    rule: 'link',
    headers(reply) {
      const { link, ...others } = headers(reply)
      return link ? { ...others, link: link.replace('<?', '<http://localhost/plants?') } : others
    },
  },
  'drops Allow': { rule: 'methods', ...withoutHeader('allow') },
  'lets a field override the method': {
    rule: 'methods',
    method: (message) => header(message, 'x-http-method-override') ?? message.method!,
  },
  'lower-cases the token': {
    rule: 'token',
    header: (message, name) => header(message, name)?.toLowerCase() ?? null,
  },
  'drops Retry-After': { rule: 'failures', ...withoutHeader('retry-after') },
  'drops the query': { rule: 'list-query', url: (message) => url(message).replace(/\?.*/, '') },
  'loses the mount path': {
    rule: 'verifier-request',
    ...mounted({
      toRequest(message) {
        const request = toRequest(message)
        return new Request(request.url.replace('/api/', '/'), request)
      },
    }),
  },
  'keeps Authorization from the verifier’s request': {
    rule: 'verifier-request',
    toRequest(message) {
      const request = toRequest(message)
      request.headers.delete('authorization')
      return request
    },
  },
  'gives the verifier a GET, whatever the method': {
    rule: 'verifier-request',
    toRequest(message) {
      const { url, headers } = toRequest(message)
      return new Request(url, { headers })
    },
  },
  'passes an absolute target behind the host’s origin': {
    rule: 'absolute-target',
    url: (message) => `http://localhost${url(message)}`,
  },
  'parses JSON and writes it again': {
    rule: 'create',
    ...parsing((text) => JSON.stringify(JSON.parse(text))),
  },
  'decodes the path': { rule: 'id-in-path', url: (message) => url(message).replaceAll('%2F', '/') },
  'decodes the whole URL': {
    rule: 'malformed-percent-encoding',
    url(message) {
      try {
        return decodeURI(url(message))
      } catch {
        return '/malformed'
      }
    },
  },
  'takes a slash off the end of the path': {
    rule: 'other-paths',
    url: (message) => url(message).replace(/(?<=.)\/$/, ''),
  },
  'keeps the first of two Authorization fields': {
    rule: 'repeated-authorization',
    header: (message, name) => (message.headers[name] as string | undefined) ?? null,
  },
  'keeps the last of two fields': {
    rule: 'repeated-content-type',
    header: ({ headersDistinct }, name) => headersDistinct[name]?.at(-1) ?? null,
  },
  'trims the parameters of Content-Type': {
    rule: 'media-type',
    header: (message, name) =>
      name === 'content-encoding' ? null : (header(message, name)?.split(';')[0] ?? null),
  },
  'has a list of scopes of its own': {
    rule: 'scope',
    headers: (reply) => (reply.status === 403 ? {} : headers(reply)),
  },
  'reads the body before the token is checked': {
    rule: 'token-first',
    async handle(store, request) {
      const isJson = request.headers.get('content-type')?.startsWith('application/json')
      const isCreate = request.method === 'POST' && request.url === '/plants'
      if (isCreate && !isJson) return { status: 415, headers: {}, body: '' }
      return handle(store, request)
    },
  },
  'answers pipelined requests as they get ready': { rule: 'pipelining', ...outOfOrder() },
  'swallows the error of the app’s wrapper': {
    rule: 'failing-wrapper',
    recover: async () => ({ status: 204, headers: {}, body: null }),
  },
  'replaces what is not UTF-8': { rule: 'malformed-json', ...parsing((text) => text) },
  'takes an empty body for an empty object': {
    rule: 'malformed-json',
    ...parsing((text) => text || '{}'),
  },
  'has error values of its own': {
    rule: 'invalid-plant',
    ...withError((error) => ({ ...error, error: 1 })),
  },
  'has messages of its own': {
    rule: 'invalid-plant',
    ...withError((error) => ({ ...error, message: 'Bad Request.' })),
  },
  'sends errors as HTML': {
    rule: 'invalid-plant',
    headers: (reply) => ({
      ...headers(reply),
      ...(reply.status >= 400 && { 'content-type': 'text/html' }),
    }),
  },
  'has a limit of its own': {
    rule: 'body-limit',
    readBody: (message, maxBytes) => readBody(message, Math.min(maxBytes, 10_000)),
  },
  'creates from an incomplete body in chunks': {
    rule: 'incomplete-body',
    async readBody(message, maxBytes) {
      if (message.headers['content-length']) return readBody(message, maxBytes)
      const chunks: Uint8Array[] = []
      await new Promise((resolve) => {
        message.on('data', (chunk) => chunks.push(chunk)).on('error', resolve)
        message.on('close', resolve).on('end', resolve)
      })
      return Buffer.concat(chunks)
    },
  },
  'believes a length beside Transfer-Encoding': {
    rule: 'untrusted-length',
    ...leniently({
      async readBody(message, maxBytes) {
        const isSmall = Number(message.headers['content-length']) <= maxBytes
        return readBody(message, isSmall ? unlimited : maxBytes)
      },
    }),
  },
  'decodes each chunk of a body': {
    rule: 'fragments',
    async readBody(message) {
      let text = ''
      for await (const chunk of message) text += chunk.toString()
      return Buffer.from(text)
    },
  },
  'serves a body as a request': { rule: 'smuggled-request', ...leniently({}) },
  'keeps a connection that the client wants closed': {
    rule: 'connection-close',
    headers: (reply) => ({ ...headers(reply), connection: 'keep-alive' }),
  },
  'looks for a field by its name as it was sent': {
    rule: 'field-names',
    header({ rawHeaders }, name) {
      const at = rawHeaders.indexOf(name)
      return at < 0 ? null : rawHeaders[at + 1]!
    },
  },
  'takes what begins like the mount path off': {
    rule: 'mount-path',
    ...mounted({
      url: ({ url }) => url!.replace(/^.*?\/api[^/]*/, ''),
    }),
  },
  'gives the size of a chunk in characters': { rule: 'long-list', write: byCharacters() },
  'sends chunks over HTTP/1.0': {
    rule: 'long-list over HTTP/1.0',
    headers: (reply) => ({ ...headers(reply), 'transfer-encoding': 'chunked' }),
  },
  'answers OPTIONS itself': {
    rule: 'options',
    handle: (store, request) =>
      request.method === 'OPTIONS'
        ? { status: 200, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, body: '' }
        : handle(store, request),
  },
  'caches lists by their URL': {
    rule: 'isolation',
    async handle(store, request) {
      if (request.method !== 'GET') return handle(store, request)
      lists[request.url] ??= await store.handle(request)
      return lists[request.url]
    },
  },
  'shares a variable between requests': {
    rule: 'own-response',
    async handle(store, request) {
      lastUrl = request.headers.get('authorization') ?? ''
      await new Promise((resolve) => setTimeout(resolve, 5))
      const get = (name: string) =>
        name === 'authorization' ? lastUrl || null : request.headers.get(name)
      return handle(store, { ...request, headers: { get } })
    },
  },
  'serves one request after the other': { rule: 'slow-verifier', ...inTurn() },
  'sends a body with 204': {
    rule: 'create-list-delete',
    headers: (reply) => ({ ...headers(reply), 'content-type': 'application/json' }),
  },
  'takes the end of the client’s side for a hang-up': {
    rule: 'half-close',
    async handle(store, request) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return handle(store, request)
    },
  },
  'leaves a small body in the connection': {
    rule: 'unread-body',
    end(message, response, body) {
      response.end(message.method === 'HEAD' ? undefined : body)
      if (response.statusCode === 401) message.socket.destroySoon()
    },
  },
}

function inTurn(): Partial<Decisions> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    handle(store, request) {
      last = last.then(() => store.handle(request))
      return last
    },
  }
}

/** Writes to the socket as soon as a reply is there. */
function outOfOrder(): Partial<Decisions> {
  return {
    end({ socket }: IncomingMessage, response: ServerResponse, body: string) {
      const fields = Object.entries(response.getHeaders()).map(
        ([name, value]) => `${name}: ${value}`,
      )
      const head = [`HTTP/1.1 ${response.statusCode} -`, ...fields].join('\r\n')
      socket.write(`${head}\r\n\r\n${body}`)
    },
  }
}

/** Writes a part as a chunk of its own, behind Node's back. */
function byCharacters(): Decisions['write'] {
  return async (response, part) => {
    response.flushHeaders()
    const chunk = `${part.length.toString(16)}\r\n${part}\r\n`
    await new Promise((resolve) => response.socket!.write(chunk, resolve))
  }
}
