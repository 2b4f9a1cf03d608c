import { codeOf } from '../lib/code-of.ts'
import { mayWaitForOthers } from '../lib/may-wait-for-others.ts'
import { toPromise } from '../lib/thenables.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { ResolvedOptions } from '../options.ts'
import { createAdaptiveLimit, createFixedLimit } from './call-limit.ts'
import { createCallLimiter, type WaitingCall } from './call-limiter.ts'
import { assertConnected, watchConnection } from './client-gone.ts'
import type { Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { reportError } from './hooks.ts'
import { OverloadedError } from './overloaded-error.ts'

/** The options for the calls of the verifier and of the storage. */
export type CalleeOptions = Pick<ResolvedOptions, 'timeoutMs' | 'maxConcurrentCalls' | 'onError'>

interface GuardOptions extends CalleeOptions {
  callee: 'storage' | 'verifier'
  /** Maps an error that is not `rate_limited`. */
  toFailure(cause: unknown): unknown
}

/**
 * Creates the function that calls the verifier or the storage: when it is not overloaded, not for a client that has
 * gone, with a time limit, and with what it throws mapped to a Failure.
 */
export function createGuard({
  timeoutMs,
  maxConcurrentCalls,
  onError,
  callee,
  toFailure,
}: GuardOptions) {
  const max = mayWaitForOthers() ? maxConcurrentCalls : Number.POSITIVE_INFINITY
  const limit = max ? createFixedLimit(max) : createAdaptiveLimit()
  const cause = new OverloadedError(`Calls of the ${callee} wait too long`)
  const limiter = createCallLimiter(limit, cause)

  /** Resolves to what `check` makes of the result. */
  async function guard<Result, Checked>(
    exchange: Exchange,
    call: () => MaybePromise<Result>,
    check: (result: Result) => Checked,
  ): Promise<Checked> {
    if (exchange.hasWaited) assertConnected(exchange.request)
    const mustWait = limiter.isFull() && !exchange.hasBegun
    let turn = mustWait ? await limiter.wait(toWaitingCall(exchange)) : undefined
    let result: Result
    try {
      const called = toPromise(call())
      if (called instanceof Promise) {
        turn ??= limiter.enter()
        beginWait(exchange)
        result = await settleInTime(called, timeoutMs, (error) =>
          reportError(exchange, error, onError),
        )
      } else result = called
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      throw codeOf(cause) === 'rate_limited' ? rateLimited(cause) : toFailure(cause)
    } finally {
      if (turn) limiter.leave(turn)
    }
    return check(result)
  }
  return guard
}

function toWaitingCall(exchange: Exchange): WaitingCall {
  const { request, owner } = exchange
  beginWait(exchange)
  return { owner, isGone: () => request.isAborted?.() === true }
}

function beginWait(exchange: Exchange): void {
  exchange.hasWaited = true
  watchConnection(exchange.request)
}

/** Settles as the promise does, or rejects when its time is up. Nobody else hears of an error that comes later. */
function settleInTime<T>(
  promise: Promise<T>,
  timeoutMs: number,
  onLateError: (error: unknown) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const cause = new DOMException(`No result within ${timeoutMs} ms`, 'TimeoutError')
      reject(new Failure('timeout', { cause }))
      promise.catch(onLateError)
    }, timeoutMs)
    promise.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}

function rateLimited(cause: unknown): Failure {
  const { retryAfterSeconds } = cause as { retryAfterSeconds?: unknown }
  const seconds = Number.isSafeInteger(retryAfterSeconds)
    ? Math.max(0, Number(retryAfterSeconds))
    : 1
  return new Failure('rate_limited', { headers: { 'retry-after': String(seconds) }, cause })
}
