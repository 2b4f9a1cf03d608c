import type { MaybePromise } from '../maybe-promise.ts'
import type { CallSignal } from './call-signal.ts'

/** Rejects a call that has exceeded the time limit. The call may still be in progress. */
export class CallTimeoutError extends Error {
  override readonly name = 'TimeoutError'
  readonly call: Promise<unknown>

  constructor(timeoutMs: number, call: Promise<unknown>) {
    super(`No result within ${timeoutMs} ms`)
    this.call = call
  }
}

/** Returns a value as it is. Bounds the time of a promise: its signal is then aborted, and the result rejects. */
export function withTimeout<T>(
  timeoutMs: number,
  signal: CallSignal,
  result: MaybePromise<T>,
): MaybePromise<T> {
  if (!(result instanceof Promise)) return result
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new CallTimeoutError(timeoutMs, result)
      reject(error)
      signal.abort(error)
    }, timeoutMs)
    result.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
