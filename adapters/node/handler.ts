import { internalErrorReply } from '../../src/http/answer.ts'
import { createContext } from '../../src/http/exchange.ts'
import { logError } from '../../src/http/log-error.ts'
import { withReply } from '../../src/http/with-reply.ts'
import type { IncomingRequest } from '../../src/incoming-request.ts'
import { assertStore } from '../../src/lib/check-store.ts'
import { andThen, type MaybePromise } from '../../src/maybe-promise.ts'
import type { PlantStore } from '../../src/plant-store.ts'
import type { Reply } from '../../src/reply.ts'
import { breakOff } from './backpressure.ts'
import { afterBufferedInput } from './buffered-input.ts'
import { sendReply } from './reply.ts'
import { fromNodeRequest, type NodeRequest, type NodeResponse } from './request.ts'

/**
 * Creates a request listener for servers of `node:http`, `node:https` and `node:http2`. Where the store has
 * no route, the response is its 404.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * import { createServer } from 'node:https'
 * import { toNodeHandler } from 'plant-store/node'
 *
 * createServer({ key, cert }, toNodeHandler(store)).listen(8443)
 * ```
 */
export function toNodeHandler(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
): (message: NodeRequest, response: NodeResponse) => void {
  assertStore('toNodeHandler', store, 'handle', 'notFound')
  return createHandler(store, sendReply)
}

interface Call {
  message: NodeRequest
  response: NodeResponse
  request: IncomingRequest
}

/** Creates the request listener of a store. `serve` has a `send` of its own, which announces that it closes. */
export function createHandler(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
  send: typeof sendReply,
): (message: NodeRequest, response: NodeResponse) => void {
  const steps = { use, recover }
  return (message, response) => {
    const call = { message, response, request: fromNodeRequest(message, response) }
    void andThen(afterBufferedInput(message), respond, call)
  }

  function respond(_: unknown, call: Call): MaybePromise<void> {
    return withReply(store, call.request, steps, call)
  }

  function use(reply: Reply, { message, response }: Call): MaybePromise<void> {
    return send(message, response, reply)
  }

  /** The store never throws, and its replies can be sent. But an app may have wrapped it, or the response. */
  function recover(error: unknown, { message, response, request }: Call): void {
    logError(error, createContext(request))
    try {
      if (response.headersSent) breakOff(message, response)
      else void send(message, response, internalErrorReply())
    } catch {
      // What a middleware has replaced throws again, such as writeHead.
      response.destroy()
    }
  }
}
