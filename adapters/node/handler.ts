import { assertStore, internalErrorReply, type PlantStore, type Reply } from '../../src/adapter.ts'
import type { NodeRequest, NodeResponse } from './message.ts'
import { sendReply } from './reply.ts'
import { fromNodeRequest } from './request.ts'
import { requestTurn } from './request-turn.ts'
import { abortResponse } from './stream-body.ts'

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
  return async (message, response) => {
    await requestTurn(message, response)
    // The app has responded, such as from a timeout middleware.
    if (response.writableEnded) return
    const request = fromNodeRequest(message, response)
    try {
      const reply = (await store.handle(request)) ?? (await store.notFound(request))
      await sendReply(message, response, reply)
    } catch (error) {
      // A wrapper that throws, its reply that Node refuses, or a middleware that throws in a method of the response.
      sendFailure(message, response, internalErrorReply(error, request))
    }
  }
}

function sendFailure(message: NodeRequest, response: NodeResponse, failure: Reply): void {
  try {
    if (response.headersSent) abortResponse(message, response)
    else sendReply(message, response, failure)
  } catch {
    abortResponse(message, response)
  }
}
