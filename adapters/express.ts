/**
 * Mounts a store in an Express 5 or 4 app, at the root or under any path, with any body parser in front.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  assertStore,
  BodyConsumedError,
  type IncomingBody,
  type IncomingRequest,
  type PlantStore,
} from '../src/adapter.ts'
import { readBody } from './node/body.ts'
import { isGone } from './node/message.ts'
import { sendReply } from './node/reply.ts'
import { fromNodeRequest, getHeader } from './node/request.ts'
import { requestTurn } from './node/request-turn.ts'

/** The part of Express's request that is used. Any Connect-like framework's request fits. */
export interface ExpressRequest extends IncomingMessage {
  /** The full URL; `url` is without the mount path. */
  originalUrl?: string | undefined
  /** The body that a body parser has parsed. */
  body?: unknown
  /** The body's bytes or text, if the app has kept them. */
  rawBody?: unknown
}

/**
 * Creates an Express handler.
 *
 * A body that a parser has already read is taken from `req.rawBody` (a Buffer or a string), or else from `req.body`. Mount
 * the store before the parser to keep every id exact: from what `express.json()` has parsed, an id beyond 2^53 is a 400.
 *
 * @param store the store, without `basePath`, which would come after the mount path
 * @returns the handler. A path without a route goes on to `next()`. The store responds to its own errors;
 *   `next(error)` is called only for what a wrapper of yours around the store throws
 *
 * @example
 * ```ts
 * import express from 'express'
 *
 * const app = express()
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
  assertStore('toExpressHandler', store, 'handle')
  async function respond(request: ExpressRequest, response: ServerResponse, next: () => void) {
    const incoming: IncomingRequest = {
      ...fromNodeRequest(request, response, request.originalUrl),
      headers: {
        get(name) {
          // A parser has decoded what it has read, and the store needs no memory for it.
          const isParsed = request.readableDidRead && /^content-(?:encoding|length)$/.test(name)
          return isParsed ? null : getHeader(request, name)
        },
      },
      readBody(maxBytes) {
        const isParsed = request.readableDidRead && !isGone(request, response)
        return isParsed ? readParsed(request, maxBytes) : readBody(request, response, maxBytes)
      },
    }
    const wasFlowing = request.readableFlowing
    await requestTurn(request, response)
    // The app has responded, such as from a timeout middleware.
    if (response.writableEnded) return
    const reply = await store.handle(incoming)
    if (reply) return sendReply(request, response, reply)
    // requestTurn() has paused a create.
    if (wasFlowing) request.resume()
    next()
  }
  // Express 4 ignores promises. Neither version takes undefined for an error.
  return (request, response, next) =>
    respond(request, response, next).catch((error) =>
      next(error ?? new Error('The store threw nothing')),
    )
}

function readParsed(
  { headers, rawBody, body, readableEnded }: ExpressRequest,
  maxBytes: number,
): IncomingBody | null {
  // Before the end, rawBody may be only the beginning.
  const kept = isRaw(rawBody) && readableEnded ? rawBody : body
  if (kept === undefined) throw new BodyConsumedError()
  // A body that a parser has turned into a value has no other measure.
  if (Number(headers['content-length']) > maxBytes) return null
  return isRaw(kept) ? kept : { parsed: kept }
}

/** Whether a body is bytes or text. In a DOM for tests, `Uint8Array` is another realm's than that of Buffers. */
function isRaw(body: unknown): body is Uint8Array | string {
  return ArrayBuffer.isView(body) || typeof body === 'string'
}
