import type { PlantStore } from '../src/plant-store.ts'
import { answer } from './node/answer.ts'
import type { NodeRequest, NodeResponse } from './node/request.ts'

export { type ServeOptions, serve } from './node/serve.ts'
export type { RunningServer } from './shared/running-server.ts'

/**
 * Makes the store a request listener for servers of `node:http`, `node:https` and `node:http2`.
 *
 * Where the store has no route, the answer is its 404. What is no proper request, such as one with
 * two `Host` headers, gets a bare 400 (RFC 9112, section 3.2).
 *
 * @param store what `createPlantStore` gives, or anything with such a `handle`
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
  store: Pick<PlantStore, 'handle'>,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => void answer(store, request, response)
}
