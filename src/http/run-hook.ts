import { isPromise, type MaybePromise, tryThen } from '../maybe-promise.ts'
import type { RequestContext } from '../request-context.ts'
import type { Exchange } from './exchange.ts'
import { logError } from './log-error.ts'

/**
 * Runs a hook of the app in the background. The response doesn't wait for it, a serverless runtime is kept
 * alive for it, and its own error is logged.
 */
export function runHook(
  { request, context }: Exchange,
  hook: (context: RequestContext) => MaybePromise<void>,
): void {
  const work = tryThen(
    () => hook(context),
    () => {},
    (error) => logError(error, context),
  )
  if (isPromise(work)) request.waitUntil?.(work)
}
