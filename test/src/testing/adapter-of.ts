import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type IncomingRequest,
  internalErrorReply,
  isStream,
  type PlantStore,
  type Reply,
  readChunks,
} from '../../../src/adapter.ts'

/** What an adapter decides. A broken adapter decides one of them wrong. */
export const correct = {
  method: ({ method }: IncomingMessage): string => method!,
  url: ({ url }: IncomingMessage) => url!,
  header: ({ headersDistinct }: IncomingMessage, name: string) =>
    headersDistinct[name]?.join(', ') ?? null,

  async readBody(message: IncomingMessage, maxBytes: number): ReturnType<ReadBody> {
    if (Number(message.headers['content-length'] ?? 0) > maxBytes) return null
    return readChunks(message.iterator({ destroyOnReturn: false }), maxBytes)
  },

  toRequest: ({ method, url, headersDistinct }: IncomingMessage) => {
    const fields = Object.entries(headersDistinct).map(([name, values]) => [
      name,
      values!.join(', '),
    ])
    return new Request(new URL(url!, `http://${headersDistinct.host}`), {
      method: method!,
      headers: Object.fromEntries(fields),
    })
  },

  handle: (store: PlantStore, request: IncomingRequest): unknown => store.handle(request),

  async recover(error: unknown, request: IncomingRequest): Promise<Reply> {
    return internalErrorReply(error, request)
  },

  headers: (reply: Reply): Record<string, string> => ({ ...reply.headers }),
  lengthOf: (text: string) => Buffer.byteLength(text),

  isAborted: (message: IncomingMessage) => message.socket.destroyed,

  write: (response: ServerResponse, part: string) =>
    new Promise<void>((resolve, reject) => {
      if (response.destroyed) return reject(new Error('The client has disconnected'))
      response.once('close', reject)
      response.write(part, () => {
        response.off('close', reject)
        resolve()
      })
    }),

  abortResponse(message: IncomingMessage, response: ServerResponse): void {
    message.httpVersion === '1.0' ? message.socket.resetAndDestroy() : response.destroy()
  },

  /** Sends a reply before the end of the request, and drops the rest of the body. */
  async refuse(message: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    response.write(body)
    message.resume()
    await Promise.race([new Promise((resolve) => message.once('close', resolve)), delay(2000)])
    response.end()
  },

  end(message: IncomingMessage, response: ServerResponse, body: string): void {
    response.end(message.method === 'HEAD' ? undefined : body)
  },
}
export type Decisions = typeof correct
type ReadBody = IncomingRequest['readBody'] & (() => Promise<Uint8Array | null>)

/** Makes an adapter for node:http that is right except for the given decisions, as an author would write one. */
export function adapterOf(wrong: Partial<Decisions> = {}): (store: PlantStore) => RequestListener {
  const decide = { ...correct, ...wrong }

  return (store) => async (message, response) => {
    const request = {
      method: decide.method(message),
      url: decide.url(message),
      headers: { get: (name: string) => decide.header(message, name) },
      readBody: (maxBytes: number) => decide.readBody(message, maxBytes),
      toRequest: () => decide.toRequest(message),
      isAborted: () => decide.isAborted(message),
    }
    let reply: Reply
    try {
      const handled = (await decide.handle(store, request)) as Reply | undefined
      reply = handled ?? (await store.notFound(request))
    } catch (error) {
      reply = await decide.recover(error, request)
    }
    await send(message, response, reply)
  }

  async function send(message: IncomingMessage, response: ServerResponse, reply: Reply) {
    const { status, body } = reply
    const headers = decide.headers(reply)
    if (isStream(body)) {
      response.writeHead(status, headers)
      try {
        for await (const part of body) await decide.write(response, part)
        response.end()
      } catch {
        decide.abortResponse(message, response)
      }
      return
    }
    if (body !== null) headers['content-length'] = `${decide.lengthOf(body)}`
    const isEarly =
      !message.complete && Number(message.headers['content-length'] ?? 70_000) > 65_536
    if (isEarly) headers.connection = 'close'
    response.writeHead(status, headers)
    if (isEarly) await decide.refuse(message, response, body ?? '')
    else decide.end(message, response, body ?? '')
  }
}
