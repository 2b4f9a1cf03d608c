import { isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
import type { RequestContext } from '../request-context.ts'
import type { Exchange } from './exchange.ts'
import { logError } from './log-error.ts'

/**
 * Runs a hook of the app in the background. The response doesn't wait for it, and a serverless runtime is kept
 * alive for it. An error of the hook or of `waitUntil` is logged.
 */
export function runHook(
  { request, context }: Exchange,
  hook: (context: RequestContext) => MaybePromise<void>,
): void {
  try {
    const work = hook(context)
    if (!isPromise(work)) return
    const logged = toNative(work).catch((error) => logError(error, context))
    request.waitUntil?.(logged)
  } catch (error) {
    logError(error, context)
  }
}
