/**
 * Mounts a store in an Express 5 or 4 app, at the root or under any path, with any body parser in front.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { assertStore, type PlantStore } from '../src/adapter.ts'
import { assertHandlerOptions, type HandlerOptions } from './caller.ts'
import { sendReply } from './node/reply.ts'
import { fromNodeRequest, requestTurn } from './node/request.ts'

export type { HandlerOptions }

// biome-ignore lint/suspicious/noTsIgnore: @ts-expect-error would fail where the types of Express are installed.
/** @ts-ignore The types of Express may not be installed. */
type Installed = import('express').Request

/** Express's request, if its types are installed, or else Node's. */
export type ExpressRequest = 0 extends 1 & Installed ? IncomingMessage : Installed

/** A handler for Express and other frameworks with handlers like Express's. */
export type ExpressHandler<Request = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * Creates an Express handler.
 *
 * A body that a parser has already read is taken from `req.rawBody` (a Buffer or a string), or else from `req.body`. Mount
 * the store before the parser to keep every id exact: from what `express.json()` has parsed, an id beyond 2^53 is a 400.
 *
 * @param store what `createPlantStore` or its `as` returns, without `basePath`, which would come after the mount path
 * @returns the handler. A path without a route goes on to `next()`. The store responds to its own errors;
 *   `next(error)` is called only for what your own wrapper around the store throws
 *
 * @example
 * ```ts
 * import express from 'express'
 *
 * const app = express()
 * app.use('/api/v1', toExpressHandler(store))
 * ```
 */
export function toExpressHandler(store: Pick<PlantStore, 'handle'>): ExpressHandler
/**
 * Creates an Express handler for an app that has signed in its users.
 *
 * @example
 * ```ts
 * app.use('/api', toExpressHandler(store, { caller: (req) => req.user && { owner: req.user.id } }))
 * ```
 */
export function toExpressHandler<Request extends IncomingMessage = ExpressRequest>(
  store: Pick<PlantStore, 'handle'>,
  options: HandlerOptions<Request>,
): ExpressHandler<Request>
export function toExpressHandler(
  store: Pick<PlantStore, 'handle'>,
  options: HandlerOptions<any> = {},
): ExpressHandler {
  assertStore('toExpressHandler', store, 'handle')
  assertHandlerOptions('toExpressHandler', options)
  const { caller } = options

  return async (request, response, next) => {
    try {
      const message = withoutStream(request)
      const incoming = fromNodeRequest(message, response, caller && (() => caller(request)))
      const wasFlowing = message.readableFlowing
      await requestTurn(message, response)
      // The app has responded, for example from a timeout middleware.
      if (response.writableEnded) return
      const reply = await store.handle(incoming)
      if (reply) return await sendReply(message, response, reply)
      // requestTurn() has paused it.
      if (wasFlowing) request.resume()
    } catch (thrown) {
      // Neither version of Express takes undefined for an error.
      return next(thrown ?? new Error('The store threw nothing'))
    }
    next()
  }
}

/**
 * Express makes what a test passes to an app (a plain object, or that of node-mocks-http) an `IncomingMessage`, whose getters
 * throw without the state of a stream. Its own members are those that the test gave it.
 */
function withoutStream(request: IncomingMessage): IncomingMessage {
  if (!(request instanceof Readable) || '_readableState' in request) return request
  return { ...(request as object) } as IncomingMessage
}
