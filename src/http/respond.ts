import { CallTimeoutError, type ErrorName, toFailure } from '../errors.ts'
import type { ResolvedOptions } from '../options.ts'
import { isStream, type Reply } from '../reply.ts'
import type { ResponseOutcome } from '../request-context.ts'
import { type Exchange, isAbort, isClientGone } from './context.ts'
import { corsHeaders } from './cors.ts'
import { observe, REFUSALS, reportError } from './hooks.ts'
import { logError, logRefusal } from './log.ts'
import { failureReply, noContent, toHostError } from './reply.ts'

interface OperationResult {
  readonly reply: Reply
  /** The catalogue's name of the error, if the reply is one. */
  readonly error?: ErrorName
}

/**
 * nginx's status for a client that disconnected before the response: for `onResponse`. Deno sends it to a client that
 * has only ended its side.
 */
const CLIENT_GONE = 499

/**
 * Creates the function that runs an operation and turns its result or error into the final reply. That function never
 * rejects.
 */
export function createResponder({ cors, onError = logError, onResponse }: ResolvedOptions) {
  // An app that passes both hooks keeps its own log.
  const hasLog = onError !== logError && onResponse !== undefined

  return async (
    exchange: Exchange,
    operation: (exchange: Exchange) => Promise<Reply>,
  ): Promise<Reply> => {
    const { request } = exchange
    const end = onResponse && observe(exchange, onResponse)
    let result: OperationResult
    try {
      result = { reply: await operation(exchange) }
    } catch (thrown) {
      result = fail(exchange, thrown)
    }
    const { reply, error } = result
    if (cors) Object.assign(reply.headers, corsHeaders(cors, request, reply.headers.allow))

    if (request.method === 'HEAD') removeBody(reply)
    // If the client has gone, a host may drop the stream unread. Short bodies come first, because Deno's signal costs as
    // much as the rest of a list (npm run bench -- runtimes).
    if (!isStream(reply.body) || request.method === 'HEAD' || request.isAborted?.()) {
      end?.(reply.status, request.isAborted?.() ? 'aborted' : 'sent', error)
      return reply
    }
    reply.body = watchBody(reply.body, (outcome, thrown) => {
      const ended = outcome === 'failed' ? failStream(exchange, thrown) : { outcome }
      end?.(reply.status, ended.outcome, ended.error)
    })
    return reply
  }

  function fail(exchange: Exchange, thrown: unknown): OperationResult {
    const failure = toFailure(thrown)
    if (isClientGone(exchange, failure.cause)) {
      return { reply: { ...noContent(), status: CLIENT_GONE } }
    }
    if (failure.status >= 500) report(exchange, failure.cause)
    const { reason } = exchange.context
    if (!hasLog && reason !== undefined && REFUSALS.includes(failure.name)) {
      logRefusal(exchange.caller ? 'caller' : 'token', failure.status, reason)
    }
    return { reply: failureReply(failure), error: failure.name }
  }

  function failStream(
    exchange: Exchange,
    thrown: unknown,
  ): { outcome: ResponseOutcome; error?: ErrorName } {
    const { name, cause } = toFailure(thrown)
    if (isClientGone(exchange, cause)) return { outcome: 'aborted' }
    report(exchange, cause)
    return { outcome: 'failed', error: name }
  }

  function report(exchange: Exchange, error: unknown): void {
    reportError(exchange, error, onError)
    // A call that has timed out may fail later. If it only ends because its signal was aborted, that is reported once.
    if (!isTimeout(error)) return
    error.call.catch((late) => {
      if (!isAbort(late, exchange.context) && !isTimeout(late) && !isTimeout(late?.cause)) {
        reportError(exchange, late, onError)
      }
    })
  }
}

function isTimeout(error: unknown): error is CallTimeoutError {
  return error instanceof CallTimeoutError
}

/**
 * A response to HEAD may have no other Content-Length than that of GET (RFC 9110, section 8.6). It is known
 * for a string. For a stream it isn't, and runtimes send `Content-Length: 0` for a null body.
 */
function removeBody(reply: Reply): void {
  if (typeof reply.body === 'string') {
    reply.headers['content-length'] = String(new TextEncoder().encode(reply.body).byteLength)
    reply.body = null
  } else if (reply.body) {
    reply.body = emptyStream()
  }
}

async function* emptyStream(): AsyncGenerator<never> {}

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
