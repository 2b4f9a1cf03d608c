import type { ErrorName } from '../errors.ts'
import { ignoreRejection, type MaybePromise } from '../lib/promises.ts'
import type { OnError, OnResponse, RequestContext, ResponseOutcome } from '../request-context.ts'
import { type Exchange, LazyContext, watchConnection } from './context.ts'
import { logError } from './log.ts'

/** The errors of tokens that are refused for a reason. */
export const REFUSALS: readonly ErrorName[] = ['invalid_token', 'insufficient_scope']

/** Starts the observation of a request. Returns the function that ends it, and calls `onResponse`. */
export function observe(exchange: Exchange, onResponse: OnResponse) {
  watchConnection(exchange.request)
  const startedAt = Date.now()
  const start = performance.now()
  return (status: number, outcome: ResponseOutcome, error?: ErrorName): void => {
    const { request, context, target, owner } = exchange
    const durationMs = performance.now() - start
    const { method } = request
    const { route } = target
    const reason = error && REFUSALS.includes(error) ? context.reason : undefined
    const facts = { method, route, status, error, reason, owner, startedAt, durationMs, outcome }
    const event = Object.assign(new LazyContext({ toRequest: () => context.request }), facts)
    runHook(exchange, () => onResponse(event))
  }
}

/**
 * Calls `onError` with the underlying error of a 5xx, of a list that failed midway, or of a call that failed after its
 * timeout.
 */
export function reportError(exchange: Exchange, error: unknown, onError: OnError): void {
  ignoreRejection(error)
  runHook(exchange, () => onError(error, exchange.context))
}

/**
 * Runs a hook of the app in the background. The response doesn't wait for it, and a serverless runtime is kept
 * alive for it.
 */
function runHook({ request, context }: Exchange, hook: () => MaybePromise<void>): void {
  const work = callHook(hook, context)
  callHook(() => request.waitUntil?.(work), context)
}

async function callHook(hook: () => MaybePromise<void>, context: RequestContext): Promise<void> {
  try {
    await hook()
  } catch (error) {
    logError(error, context)
  }
}
