import type { IncomingRequest } from '../incoming-request.ts'
import { kindOf } from '../lib/arguments.ts'
import type { PlantStore } from '../plant-store.ts'
import type { Reply } from '../reply.ts'
import { internalErrorReply } from './internal-error-reply.ts'

/**
 * Serves a request to its end: the reply of its route, or the store's 404. Never rejects: what an app's wrapper around
 * the store throws is logged, and the reply is a 500.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * const reply = await getReply(store, incoming)
 * ```
 */
export async function getReply(
  store: Pick<PlantStore, 'handle' | 'notFound'>,
  request: IncomingRequest,
): Promise<Reply> {
  try {
    return checkReply((await store.handle(request)) ?? (await store.notFound(request)))
  } catch (error) {
    return internalErrorReply(error, request)
  }
}

/** Throws if a wrapper did not return a reply. Without its members, a Fetch response would be an empty 200. */
export function checkReply(reply: Reply): Reply {
  if (typeof reply === 'object') return reply
  throw new TypeError(`handle must resolve to a reply or undefined; got ${kindOf(reply)}`)
}
