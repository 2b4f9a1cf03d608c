import type { IncomingRequest } from '../incoming-request.ts'
import { type MaybePromise, settle } from '../maybe-promise.ts'
import type { resolveOptions } from '../options.ts'
import type { Reply } from '../reply.ts'
import { corsHeaders } from './cors.ts'
import { Failure } from './failure.ts'
import { printError } from './print-error.ts'

/** Runs what answers a request. What it throws is answered too, and told to `onError` if it is ours. */
export type Answer = (
  request: IncomingRequest,
  run: () => MaybePromise<Reply>,
  preflightMethods?: string,
) => MaybePromise<Reply>

/** Makes the one place that every reply leaves through. */
export function createAnswer({
  cors,
  onError,
}: Pick<ReturnType<typeof resolveOptions>, 'cors' | 'onError'>): Answer {
  return (request, run, preflightMethods) =>
    settle(
      run,
      (reply) => complete(request, reply, preflightMethods),
      (error) => complete(request, recover(request, error)),
    )

  function recover(request: IncomingRequest, error: unknown): Reply {
    const failure = error instanceof Failure ? error : new Failure('internal', { cause: error })
    if (failure.status >= 500) report(request, failure.cause)
    return failure.reply
  }

  function complete(request: IncomingRequest, reply: Reply, preflightMethods?: string): Reply {
    addToEvery(reply.headers)
    if (cors) Object.assign(reply.headers, corsHeaders(cors, request.headers, preflightMethods))
    if (request.method === 'HEAD') removeContent(reply)
    if (reply.body !== null && typeof reply.body !== 'string') {
      reply.body = reportingBreak(request, reply.body)
    }
    return reply
  }

  async function* reportingBreak(request: IncomingRequest, parts: AsyncIterable<string>) {
    try {
      yield* parts
    } catch (error) {
      report(request, error instanceof Failure ? error.cause : error)
      throw error
    }
  }

  /** The answer doesn't wait for it, so a runtime that stops with the answer must be told. */
  function report(request: IncomingRequest, error: unknown): void {
    const told = tell(request, error)
    request.waitUntil?.(told)
  }

  /** An `onError` that fails has nobody left to tell but the console. */
  async function tell(request: IncomingRequest, error: unknown): Promise<void> {
    try {
      await onError(error, request.toRequest())
    } catch (failure) {
      printError(failure, request.toRequest())
    }
  }
}

/**
 * Of a null body, runtimes claim Content-Length: 0, and a HEAD may claim no length but GET's (RFC 9110,
 * section 8.6): that is known of a string, and of what is streamed none is claimed.
 */
function removeContent(reply: Reply): void {
  if (typeof reply.body === 'string') {
    reply.headers['content-length'] = String(new TextEncoder().encode(reply.body).byteLength)
    reply.body = null
  } else if (reply.body) {
    reply.body = noParts()
  }
}

async function* noParts(): AsyncGenerator<never> {}

function addToEvery(headers: Reply['headers']): void {
  headers['x-content-type-options'] = 'nosniff'
  headers['cache-control'] = 'no-store'
}

/** What an adapter answers where the store has nothing to say. */
export function failureReply(name: 'route_not_found' | 'internal'): Reply {
  const { reply } = new Failure(name)
  addToEvery(reply.headers)
  return reply
}
