import type { IncomingRequest } from '../incoming-request.ts'
import type { PlantStore } from '../plant-store.ts'
import { getReply } from './get-reply.ts'
import { internalErrorReply } from './internal-error-reply.ts'
import { toResponse } from './to-response.ts'

/**
 * Like `getReply`, for a host that sends Fetch responses. Never rejects: a wrapper's reply that is no valid response,
 * such as one with the status 42, is logged and becomes a 500.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * const response = await getResponse(store, fromRequest(request))
 * ```
 */
export async function getResponse(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
  request: IncomingRequest,
): Promise<Response> {
  const reply = await getReply(store, request)
  try {
    return toResponse(reply)
  } catch (error) {
    return toResponse(internalErrorReply(error, request))
  }
}
