import type { IncomingRequest } from '../incoming-request.ts'
import type { PlantStore } from '../plant-store.ts'
import { checkReply } from './get-reply.ts'
import { internalErrorReply } from './internal-error-reply.ts'
import { toResponse } from './to-response.ts'

/**
 * Like `getReply`, for a host that sends Fetch responses. Never rejects: what an app's wrapper around the store throws,
 * and a reply of it that is not a valid response, such as one with the status 42, is logged and becomes a 500.
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
  try {
    return toResponse(checkReply((await store.handle(request)) ?? (await store.notFound(request))))
  } catch (error) {
    return toResponse(internalErrorReply(error, request))
  }
}
