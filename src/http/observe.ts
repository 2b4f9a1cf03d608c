import type { ErrorName } from '../errors.ts'
import type { OnResponse, ResponseOutcome } from '../response-event.ts'
import type { Exchange } from './exchange.ts'
import { runHook } from './run-hook.ts'

/** Ends the observation of a request, and calls `onResponse`. */
export type EndObservation = (status: number, outcome: ResponseOutcome, error?: ErrorName) => void

/** Creates the function that starts the observation of a request. */
export function createObserver(onResponse: OnResponse) {
  return (exchange: Exchange): EndObservation => {
    // Deno's signal misses a disconnect that comes before the signal was first read.
    exchange.request.isAborted?.()
    const startedAt = Date.now()
    const start = performance.now()
    return (status, outcome, error) => {
      const { request, context, route, owner } = exchange
      const durationMs = performance.now() - start
      runHook(exchange, () =>
        onResponse({
          method: request.method,
          route,
          status,
          error,
          owner,
          startedAt,
          durationMs,
          outcome,
          get request() {
            return context.request
          },
        }),
      )
    }
  }
}
