/**
 * Serves a store with Node, or mounts it in your own server.
 *
 * @module
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { assertStore, internalErrorReply, type MountedStore } from '../src/adapter.ts'
import { assertHandlerOptions, type HandlerOptions } from './caller.ts'
import { createDrain, type NodeServer } from './node/drain.ts'
import { abortResponse, sendReply } from './node/reply.ts'
import {
  fromNodeRequest,
  type NodeRequest,
  type NodeResponse,
  requestTurn,
} from './node/request.ts'
import {
  type CloseOptions,
  createClose,
  type RunningServer,
  resolveCloseOptions,
  runServer,
  type ServeOptions,
} from './serve.ts'

export type {
  CloseOptions,
  HandlerOptions,
  MountedStore,
  NodeRequest,
  NodeResponse,
  NodeServer,
  RunningServer,
  ServeOptions,
}

/** A listener of the event `request` of a server. */
export type NodeHandler<Request extends NodeRequest = NodeRequest> = (
  message: Request,
  response: NodeResponse,
) => void

/**
 * Creates a request listener for servers of `node:http`, `node:https` and `node:http2`. Where the store has
 * no route, the response is its 404.
 *
 * A body that a parser has already read is taken from `rawBody` (a Buffer or a string), or else from `body` of the request.
 *
 * @param store what `createPlantStore` or its `as` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * import { createServer } from 'node:https'
 * import { toNodeHandler } from 'plant-store/node'
 *
 * createServer({ key, cert }, toNodeHandler(store)).listen(8443)
 * ```
 */
export function toNodeHandler<Request extends NodeRequest = NodeRequest>(
  store: MountedStore,
  options: HandlerOptions<Request> = {},
): NodeHandler<Request> {
  assertStore('toNodeHandler', store, 'handle', 'notFound')
  assertHandlerOptions('toNodeHandler', options)
  const { caller } = options
  return async (message, response) => {
    const request = fromNodeRequest(message, response, caller && (() => caller(message)))
    try {
      await requestTurn(message, response)
      // The app has responded, for example from a timeout middleware.
      if (response.writableEnded) return
      const reply = (await store.handle(request)) ?? (await store.notFound(request))
      await sendReply(message, response, reply)
    } catch (error) {
      // A wrapper that throws, its reply that Node refuses, or a middleware that throws in a method of the response.
      const failure = internalErrorReply(error, request)
      try {
        if (response.headersSent) abortResponse(message, response)
        else sendReply(message, response, failure)
      } catch {
        // Members of what Next.js has in place of a request throw.
        response.destroy?.()
      }
    }
  }
}

/**
 * Ends connections whose client has stopped reading. It also ends those that wait for the store.
 * Node has no such limit by default.
 */
const SOCKET_TIMEOUT_MS = 120_000

/**
 * Serves the store over HTTP/1.1 until `close()`, SIGTERM or SIGINT. Each of them finishes the requests
 * in flight and closes the store. On SIGTERM and `close()`, idle connections are served once more, so that
 * clients behind a proxy notice nothing. A second signal ends the process at once.
 *
 * A connection on which nothing moves for 120 s during a request is closed, even while the store works on it. So a
 * `timeoutMs` above 120 000 has no effect.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 * @returns once the server is listening
 * @throws (rejects with) TypeError or RangeError for a wrong option, and the error of `listen`, for example
 *   `EADDRINUSE`
 *
 * @example
 * ```ts
 * import { serve } from 'plant-store/node'
 *
 * const server = await serve(store, { port: 3000 })
 * console.log(`Listening on ${server.url}`)
 * ```
 */
export function serve(
  store: MountedStore & { close(): Promise<void> },
  options: ServeOptions = {},
): Promise<RunningServer> {
  return runServer(store, options, async ({ port, hostname, reusePort, keepAliveTimeoutMs }) => {
    // A variable, since Node 22 has no optimizeEmptyRequests, and its types don't know the option.
    const serverOptions = {
      keepAliveTimeout: keepAliveTimeoutMs,
      // Requests without a body get no stream: a twentieth of the cost of a list (npm run bench -- http).
      optimizeEmptyRequests: true,
    }
    // An import reads all exports, and WebSocket's getter loads undici: 30 ms (npm run bench -- size).
    const { createServer } = process.getBuiltinModule('node:http')
    const server = createServer(serverOptions, toNodeHandler(store))
    server.timeout = SOCKET_TIMEOUT_MS
    const drain = createDrain(server)
    server.listen({ port, host: hostname, reusePort })
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port, ...drain }
  })
}

/**
 * Closes your own server as `serve` does: SIGTERM and SIGINT drain it, close the store, and end the process.
 * Node's `server.close()` drops requests that a proxy sends on idle connections, and waits for those that are never
 * used.
 *
 * A request is waited for if the server has emitted `request`. So if you listen to `checkContinue`, call
 * `response.writeContinue()`, and then `server.emit('request', request, response)`.
 *
 * An upgraded connection, for example a WebSocket, belongs to the app. End it in your own listener of SIGTERM: the server waits
 * for it, and cuts it after three quarters of `graceMs`.
 *
 * @param server of `node:http`, `node:https` or `node:http2`, as Express's `app.listen()` returns it, too
 * @param store or anything else to close when no request is in flight
 * @returns a function that closes both without a signal. It rejects with the error of `store.close()`
 * @throws TypeError or RangeError for a wrong option
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { enableGracefulClose, toNodeHandler } from 'plant-store/node'
 *
 * const server = createServer(toNodeHandler(store)).listen(3000)
 * enableGracefulClose(server, store)
 * ```
 */
export function enableGracefulClose(
  server: NodeServer,
  store: { close(): Promise<unknown> },
  options: CloseOptions = {},
): () => Promise<void> {
  assertStore('enableGracefulClose', store, 'close')
  const resolved = resolveCloseOptions('enableGracefulClose', options)
  return createClose(createDrain(server), store, resolved)
}
