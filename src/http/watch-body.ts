import type { ResponseOutcome } from '../request-context.ts'
import { toHostError } from './failure.ts'

/**
 * Watches a streamed body: calls `onEnd` once, when the body has been sent, was aborted or failed.
 *
 * A plain iterator rather than a generator, since `return()` on a generator that was never started skips
 * its `finally`.
 */
export function watchBody(
  parts: AsyncIterable<string>,
  onEnd: (outcome: ResponseOutcome, error?: unknown) => void,
): AsyncIterable<string> {
  let hasEnded = false
  function end(outcome: ResponseOutcome, error?: unknown): void {
    if (hasEnded) return
    hasEnded = true
    onEnd(outcome, error)
  }
  function watch(iterator: AsyncIterator<string>): AsyncIterator<string> {
    return {
      async next() {
        try {
          const result = await iterator.next()
          if (result.done) end('sent')
          return result
        } catch (error) {
          end('failed', error)
          throw toHostError(error)
        }
      },
      async return() {
        end('aborted')
        return { done: true, value: undefined }
      },
    }
  }
  return { [Symbol.asyncIterator]: () => watch(parts[Symbol.asyncIterator]()) }
}
