import { assertStore } from '../../src/check-store.ts'
import { internalErrorReply } from '../../src/http/answer.ts'
import { createContext } from '../../src/http/exchange.ts'
import { logError } from '../../src/http/log-error.ts'
import { isPromise } from '../../src/maybe-promise.ts'
import type { PlantStore } from '../../src/plant-store.ts'
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
  // The 500 can't be sent either when what a middleware has replaced throws, such as writeHead.
  return (message, response) =>
    void respond(store, message, response).catch(() => response.destroy())
}

async function respond(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
  message: NodeRequest,
  response: NodeResponse,
): Promise<void> {
  const request = fromNodeRequest(message, response)
  try {
    const handled = store.handle(request)
    // Skip the await when the reply is ready.
    const reply = isPromise(handled) ? await handled : handled
    sendReply(message, response, reply ?? (await store.notFound(request)))
  } catch (error) {
    // The store itself never throws, and its replies can be sent. An app may have wrapped it.
    logError(error, createContext(request))
    if (!response.headersSent) sendReply(message, response, internalErrorReply())
    else response.destroy()
  }
}
