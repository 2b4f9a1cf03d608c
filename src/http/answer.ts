import type { ErrorName } from '../errors.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import { isStream, type Reply } from '../reply.ts'
import type { OnError } from '../request-context.ts'
import type { OnResponse, ResponseOutcome } from '../response-event.ts'
import { ClientGoneError } from './client-gone.ts'
import { type CorsOptions, corsHeaders } from './cors.ts'
import type { Exchange } from './exchange.ts'
import { Failure, isInstance } from './failure.ts'
import { createObserver, type EndObservation } from './observe.ts'
import { runHook } from './run-hook.ts'
import { watchBody } from './watch-body.ts'

/** Runs an operation and completes its reply. Never throws: an error becomes a reply too. */
export type Answer = <E extends Exchange>(
  exchange: E,
  operation: (exchange: E) => MaybePromise<Reply>,
  preflightMethods?: string,
) => MaybePromise<Reply>

interface AnswerOptions {
  cors: CorsOptions | undefined
  onError: OnError
  onResponse: OnResponse | undefined
}

/** nginx's status for a client that disconnected before the response. It is only seen by `onResponse`. */
const CLIENT_GONE = 499

/** Creates the function that turns an operation's result or error into the final reply. */
export function createAnswer({ cors, onError, onResponse }: AnswerOptions): Answer {
  const observe = onResponse && createObserver(onResponse)

  return (exchange, operation, preflightMethods) => {
    const end = observe?.(exchange)
    let reply: MaybePromise<Reply>
    try {
      reply = operation(exchange)
    } catch (error) {
      return fail(exchange, error, end)
    }
    if (!isPromise(reply)) return complete(exchange, reply, end, preflightMethods)
    return completeLater(exchange, reply, end, preflightMethods)
  }

  /** Apart from its caller because of its closures, like `completeStream` (see `andThen`). */
  function completeLater(
    exchange: Exchange,
    reply: Promise<Reply>,
    end?: EndObservation,
    preflightMethods?: string,
  ): Promise<Reply> {
    return reply.then(
      (reply) => complete(exchange, reply, end, preflightMethods),
      (error) => fail(exchange, error, end),
    )
  }

  function fail(exchange: Exchange, error: unknown, end?: EndObservation): Reply {
    if (isInstance(error, ClientGoneError)) {
      return complete(exchange, { status: CLIENT_GONE, headers: {}, body: null }, end)
    }
    const failure = toFailure(error)
    if (failure.status >= 500) report(exchange, failure)
    return complete(exchange, failure.reply, end, undefined, failure.name)
  }

  function complete(
    exchange: Exchange,
    reply: Reply,
    end?: EndObservation,
    preflightMethods?: string,
    error?: ErrorName,
  ): Reply {
    const { request } = exchange
    addCommonHeaders(reply)
    if (cors) Object.assign(reply.headers, corsHeaders(cors, request.headers, preflightMethods))
    if (request.method === 'HEAD') removeBody(reply)
    else if (isStream(reply.body)) {
      return completeStream(exchange, reply, reply.body, end)
    }
    end?.(reply.status, request.isAborted?.() ? 'aborted' : 'sent', error)
    return reply
  }

  function completeStream(
    exchange: Exchange,
    reply: Reply,
    body: AsyncIterable<string>,
    end?: EndObservation,
  ): Reply {
    reply.body = watchBody(body, (outcome, cause) =>
      endStream(exchange, reply.status, outcome, cause, end),
    )
    return reply
  }

  function endStream(
    exchange: Exchange,
    status: number,
    outcome: ResponseOutcome,
    cause: unknown,
    end?: EndObservation,
  ): void {
    if (outcome !== 'failed' || isInstance(cause, ClientGoneError)) {
      end?.(status, outcome === 'sent' ? outcome : 'aborted')
      return
    }
    const failure = toFailure(cause)
    report(exchange, failure)
    end?.(status, outcome, failure.name)
  }

  function report(exchange: Exchange, { cause }: Failure): void {
    runHook(exchange, (context) => onError(cause, context))
  }
}

function toFailure(error: unknown): Failure {
  return isInstance(error, Failure) ? error : new Failure('internal', { cause: error })
}

/** Adds the headers of every reply. */
export function addCommonHeaders(reply: Reply): Reply {
  reply.headers['x-content-type-options'] = 'nosniff'
  reply.headers['cache-control'] = 'no-store'
  return reply
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
 * Creates the 500 reply of an adapter whose own code, or the app's wrapper around the store, has failed.
 *
 * @example
 * ```ts
 * const reply = await Promise.resolve(store.handle(request)).catch(() => internalErrorReply())
 * ```
 */
export function internalErrorReply(): Reply {
  return addCommonHeaders(new Failure('internal').reply)
}
