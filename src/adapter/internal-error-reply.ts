import { LazyContext } from '../http/exchange.ts'
import { Failure, failureReply } from '../http/failure.ts'
import { logError } from '../http/log-error.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import type { Reply } from '../reply.ts'

/**
 * Logs what an app's wrapper around the store threw, or what the host threw at the wrapper's reply, and returns the 500
 * to send instead.
 *
 * @param error what was thrown. The client learns nothing of it
 *
 * @example
 * ```ts
 * try {
 *   await send(reply)
 * } catch (error) {
 *   await send(internalErrorReply(error, incoming))
 * }
 * ```
 */
export function internalErrorReply(error: unknown, request: IncomingRequest): Reply {
  logError(error, new LazyContext(request))
  return failureReply(new Failure('internal'))
}
