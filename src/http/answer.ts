import type { ErrorName } from '../errors.ts'
import { type MaybePromise, tryThen } from '../maybe-promise.ts'
import type { ResolvedOptions } from '../options.ts'
import type { Reply } from '../reply.ts'
import type { ResponseOutcome } from '../response-event.ts'
import { ClientGoneError } from './client-gone.ts'
import { corsHeaders } from './cors.ts'
import type { Exchange } from './exchange.ts'
import { Failure } from './failure.ts'
import { createObserver } from './observe.ts'
import { runHook } from './run-hook.ts'
import { watchBody } from './watch-body.ts'

/** Runs an operation and completes its reply. Never throws: an error becomes a reply too. */
export type Answer = (
  exchange: Exchange,
  operation: () => MaybePromise<Reply>,
  preflightMethods?: string,
) => MaybePromise<Reply>

/** nginx's status for a client that disconnected before the response. It is only seen by `onResponse`. */
const CLIENT_GONE = 499

/** Creates the function that turns an operation's result or error into the final reply. */
export function createAnswer({ cors, onError, onResponse }: ResolvedOptions): Answer {
  const observe = onResponse && createObserver(onResponse)

  return (exchange, operation, preflightMethods) => {
    const { request } = exchange
    const end = observe?.(exchange)

    function complete(reply: Reply, error?: ErrorName): Reply {
      addCommonHeaders(reply)
      if (cors) Object.assign(reply.headers, corsHeaders(cors, request.headers, preflightMethods))
      if (request.method === 'HEAD') removeBody(reply)
      else if (isStream(reply.body)) {
        reply.body = watchBody(reply.body, (outcome, cause) => endStream(reply, outcome, cause))
        return reply
      }
      end?.(reply.status, request.isAborted?.() ? 'aborted' : 'sent', error)
      return reply
    }

    function fail(error: unknown): Reply {
      if (error instanceof ClientGoneError) {
        return complete({ status: CLIENT_GONE, headers: {}, body: null })
      }
      const failure = toFailure(error)
      if (failure.status >= 500) runHook(exchange, (context) => onError(failure.cause, context))
      return complete(failure.reply, failure.name)
    }

    function endStream({ status }: Reply, outcome: ResponseOutcome, cause: unknown): void {
      if (outcome !== 'failed' || cause instanceof ClientGoneError) {
        end?.(status, outcome === 'sent' ? outcome : 'aborted')
        return
      }
      const failure = toFailure(cause)
      runHook(exchange, (context) => onError(failure.cause, context))
      end?.(status, outcome, failure.name)
    }

    return tryThen(operation, complete, fail)
  }
}

function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal', { cause: error })
}

function addCommonHeaders({ headers }: Reply): void {
  headers['x-content-type-options'] = 'nosniff'
  headers['cache-control'] = 'no-store'
}

function isStream(body: Reply['body']): body is AsyncIterable<string> {
  return body !== null && typeof body !== 'string'
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

/** The reply of an adapter whose own code, or the app's wrapper around the store, has failed. */
export function internalErrorReply(): Reply {
  const { reply } = new Failure('internal')
  addCommonHeaders(reply)
  return reply
}
