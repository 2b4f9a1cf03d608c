import type { IncomingRequest } from '../incoming-request.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Reply } from '../reply.ts'
import { internalErrorReply } from './answer.ts'
import { createContext } from './exchange.ts'
import { logError } from './log-error.ts'
import { type Handler, withReply } from './with-reply.ts'

/**
 * Responds to a request of a Fetch host. The response is there at once if the reply is. A wrapper around the store
 * that fails is logged, and gets a 500 in place of the host's own page.
 *
 * @param create creates the Response of the reply
 */
export function respond<R extends Request | IncomingRequest>(
  store: Handler<R>,
  request: R,
  create = toResponse,
): MaybePromise<Response> {
  return withReply(store, request, { use: create, recover }, request)
}

function recover(error: unknown, request: Request | IncomingRequest): Response {
  logError(error, 'toRequest' in request ? createContext(request) : { request })
  return toResponse(internalErrorReply())
}

/**
 * Creates a Fetch `Response` of a reply. A streamed body is pulled as fast as the client reads.
 *
 * @example
 * ```ts
 * const reply = (await store.handle(request)) ?? (await store.notFound(request))
 * const response = toResponse(reply)
 * ```
 */
export function toResponse(reply: Reply): Response {
  return createResponse(reply, reply.headers)
}

/** Creates a `Response` with these headers. */
export function createResponse({ status, body }: Reply, headers: HeadersInit): Response {
  const payload = body === null || typeof body === 'string' ? body : toStream(body)
  return new Response(payload, { status, headers })
}

function toStream(parts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    // Don't read ahead of the client.
    { highWaterMark: 0 },
  )
}
