/**
 * Mounts a store in an Express 5 or 4 app, at the root or under any path, with any body parser in front.
 *
 * ```ts
 * import express from 'express'
 * import { createPlantStore } from 'plant-store'
 * import { toExpressHandler } from 'plant-store/express'
 *
 * const app = express()
 * app.use('/api/v1', toExpressHandler(createPlantStore(storage, verify)))
 * ```
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyConsumedError, type IncomingBody } from '../src/incoming-request.ts'
import type { PlantStore } from '../src/plant-store.ts'
import { sendReply } from './node/reply.ts'
import { fromNodeRequest } from './node/request.ts'
import { readTarget } from './node/target.ts'

/** What is asked of Express's request; its own type fits, and so does that of any Connect-like framework. */
export interface ExpressRequest extends IncomingMessage {
  /** The whole URL, where `url` is what remains of it after the mount path. */
  originalUrl?: string
  /** The mount path. */
  baseUrl?: string
  /** What a body parser has made of the body. */
  body?: unknown
  /** The body's bytes or text, where something that has read it has kept it. */
  rawBody?: unknown
}

/**
 * Makes an Express handler of a store.
 *
 * A body that a parser has read before the store is taken from `req.rawBody` (a Buffer or a string, as
 * some hosts and the `verify` option of `express.json()` keep it) or `req.body`. What `express.json()` has parsed
 * has lost what a double can't hold: an id beyond 2^53 is answered with 400, and a fraction such as
 * that of `7.00000000000000000001` can't be seen any more. Mount the store before the parser, and
 * every id is exact.
 *
 * @param store the store; with the option `basePath`, that comes after the path the handler is mounted at
 * @returns the handler; a path that is not the store's goes on to `next()`. The store answers its
 * failures itself: an error goes to `next` only from what an app has wrapped the store in
 *
 * @example
 * ```ts
 * app.use('/api/v1', toExpressHandler(store))
 * ```
 */
export function toExpressHandler(
  store: Pick<PlantStore, 'handle'>,
): (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void> {
  async function answer(request: ExpressRequest, response: ServerResponse, next: () => void) {
    const url = readTarget(request.originalUrl ?? request.url!)
    const incoming = fromNodeRequest(request, response, url ?? '/')
    const reply = await store.handle({
      ...incoming,
      // The mount path is the app's: only a verifier sees it.
      url: afterMountPath(request),
      headers: { get: (name) => (isDecoded(request, name) ? null : incoming.headers.get(name)) },
      readBody: async (maxBytes) =>
        request.readableDidRead ? readParsed(request, maxBytes) : incoming.readBody(maxBytes),
    })
    if (reply) sendReply(request, response, reply)
    else next()
  }
  // Express 4 doesn't look at promises.
  return (request, response, next) => answer(request, response, next).catch(next)
}

/** Express 4 takes the first slash of `/api//plants` for a part of the mount path. */
function afterMountPath({ originalUrl, baseUrl, url }: ExpressRequest): string {
  return originalUrl === `${baseUrl}/${url}` ? `/${url}` : url!
}

/** A parser that has read the body has undone its Content-Encoding too. */
function isDecoded(request: ExpressRequest, name: string): boolean {
  return name === 'content-encoding' && request.readableDidRead
}

function readParsed(
  { headers, rawBody, body, readableEnded }: ExpressRequest,
  maxBytes: number,
): IncomingBody | null {
  // What still reads the body may have kept no more than its beginning.
  const kept = isExact(rawBody) && readableEnded ? rawBody : body
  if (kept === undefined) throw new BodyConsumedError()
  if (Number(headers['content-length']) > maxBytes) return null
  // Of what is parsed, no more is known than what was announced.
  if (!isExact(kept)) return { parsed: kept }
  return Buffer.byteLength(kept) > maxBytes ? null : kept
}

function isExact(body: unknown): body is Uint8Array | string {
  return body instanceof Uint8Array || typeof body === 'string'
}
