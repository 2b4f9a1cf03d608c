import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { toNodeHandler } from '../../../adapters/node.ts'
import {
  type IncomingRequest,
  isStream,
  type MaybePromise,
  type PlantStore,
  type Reply,
} from '../../../src/adapter.ts'

interface Exchange {
  readonly store: PlantStore
  readonly message: IncomingMessage
  readonly response: ServerResponse
}

/** A mistake in an adapter for node:http. */
export interface BrokenAdapter {
  /** Gets the reply that is sent, unless it sends one itself. Default: that of the store. */
  readonly handle?: (
    request: IncomingRequest,
    exchange: Exchange,
  ) => MaybePromise<Reply | undefined>
  /** Makes the server. Default: `createServer` of node:http. */
  readonly serve?: (listener: RequestListener) => Server
  /** Whether it is mounted at `/api`. Default: false. */
  readonly isMounted?: boolean
}

/** Makes an adapter that is right except for the mistake. */
export function adapterOf({ handle }: BrokenAdapter = {}) {
  return (store: PlantStore): RequestListener =>
    (message, response) => {
      const exchange = { store, message, response }
      const replace = async (request: IncomingRequest) => handle!(request, exchange)
      toNodeHandler(handle ? { ...store, handle: replace } : store)(message, response)
    }
}

/** Tells the store something else of each request. */
export const requests = (
  change: (request: IncomingRequest, message: IncomingMessage) => Partial<IncomingRequest>,
): BrokenAdapter => ({
  handle: (request, { store, message }) =>
    store.handle({ ...request, ...change(request, message) }),
})

/** Tells the store another URL. */
export const urls = (change: (url: string) => string) =>
  requests(({ url }) => ({ url: change(url) }))

/** Tells the store other header fields. */
export const fields = (
  get: (name: string, value: string | null, message: IncomingMessage) => string | null,
) =>
  requests(({ headers }, message) => ({
    headers: { get: (name) => get(name, headers.get(name), message) },
  }))

/** Tells the store another body. */
export const bodies = (change: (text: string) => string) =>
  requests(({ readBody }) => ({
    async readBody(maxBytes) {
      const bytes = await readBody(maxBytes)
      return bytes && change(Buffer.from(bytes as Uint8Array).toString())
    },
  }))

/** Sends something else than the reply of the store. */
export const replies = (change: (reply: Reply) => Partial<Reply>): BrokenAdapter => ({
  async handle(request, { store }) {
    const reply = await store.handle(request)
    return reply && { ...reply, ...change(reply) }
  },
})

/** Sends the reply of the store in another way. */
export const sending = (prepare: (reply: Reply, exchange: Exchange) => void): BrokenAdapter => ({
  async handle(request, exchange) {
    const reply = await exchange.store.handle(request)
    if (reply) prepare(reply, exchange)
    return reply
  },
})

/** Sends other headers than those of the store. */
export const headers = (change: (headers: Reply['headers'], status: number) => Reply['headers']) =>
  replies(({ headers, status }) => ({ headers: change(headers, status) }))

/** Sends a long list itself. */
export const lists = (
  write: (response: ServerResponse, part: string) => unknown,
): BrokenAdapter => ({
  async handle(request, { store, response }) {
    const toSignal = () => new AbortController().signal
    const reply = await store.handle({ ...request, toSignal, isAborted: () => false })
    if (!reply || !isStream(reply.body)) return reply
    response.writeHead(reply.status, reply.headers)
    for await (const part of reply.body) await write(response, part)
    response.end()
    return reply
  },
})

/** Answers some requests itself. Without a status, it says that no route matches. */
export const answering = (
  isIts: (request: IncomingRequest) => boolean,
  status?: number,
  headers: Reply['headers'] = {},
): BrokenAdapter => {
  const reply = status === undefined ? undefined : { status, headers, body: '' }
  return { handle: (request, { store }) => (isIts(request) ? reply : store.handle(request)) }
}
