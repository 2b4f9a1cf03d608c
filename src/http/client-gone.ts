import { ClientGoneError } from '../errors.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import type { MaybePromise } from '../lib/promises.ts'
import { codeOf } from '../lib/thrown.ts'
import type { Exchange } from './exchange.ts'

/** Waits for a result that nobody needs if the client disconnects meanwhile. Then it throws a ClientGoneError. */
export function waitFor<T>(request: IncomingRequest, result: MaybePromise<T>): MaybePromise<T> {
  if (!(result instanceof Promise)) return result
  watchConnection(request)
  return result.then((value) => {
    assertConnected(request)
    return value
  })
}

/**
 * To be called before a wait: Deno's signal misses a disconnect that comes before it was first read. Not for each request,
 * because there it costs as much as the rest of a list (npm run bench -- runtimes).
 */
export function watchConnection(request: IncomingRequest): void {
  request.isAborted?.()
}

/** Throws a ClientGoneError when the client has disconnected. */
export function assertConnected(request: IncomingRequest): void {
  if (request.isAborted?.()) throw new ClientGoneError('The client has disconnected')
}

/**
 * Whether work has ended because the client disconnected: the store ended it, or a storage or verifier whose signal was
 * aborted.
 *
 * @param error the cause of the failure. The store's own refusals have none, and don't pay for Deno's signal
 */
export function isClientGone({ request, context }: Exchange, error: unknown): boolean {
  if (error === undefined) return false
  if (error instanceof ClientGoneError) return true
  if (request.isAborted?.() !== true) return false
  return isAbort(error, context) || error === request.toSignal?.().reason
}

/** Whether a call, whose signal is aborted, has failed because of that. */
export function isAbort(error: unknown, { isSignalRead }: { isSignalRead: boolean }): boolean {
  const { name, cause } = Object(error) as { name?: unknown; cause?: { name?: unknown } | null }
  if (name === 'AbortError' || cause?.name === 'AbortError') return true
  // Some clients reject with an error of their own if the abort comes in the middle of a response.
  return isSignalRead && codeOf(error) === 'storage_unavailable'
}
