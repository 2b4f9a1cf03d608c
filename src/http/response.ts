import { Failure } from '../errors.ts'
import type { IncomingRequest } from '../incoming-request.ts'
import { assertMethods, kindOf } from '../lib/arguments.ts'
import { isStream, type Reply } from '../reply.ts'
import { LazyContext } from './context.ts'
import { logError } from './log.ts'
import { failureReply } from './reply.ts'

/** What an adapter needs: what `createPlantStore` or its `as` returns, or a wrapper around it. */
export interface MountedStore {
  /** Resolves to `undefined` if no route matches. */
  handle(request: IncomingRequest): Promise<Reply | undefined>
  /** Returns the reply for a request that `handle` has no route for. */
  notFound(request: IncomingRequest): Promise<Reply>
}

/**
 * Checks what an adapter was given, for JavaScript callers: without a store, the first request would fail with
 * an error that doesn't name the mistake. If an app mounts `toExpressHandler` without calling it, `store` is a
 * request.
 *
 * @param callee the name of the adapter's function, for the message
 * @param methods the methods of a `PlantStore` that the adapter calls
 * @throws TypeError that says what was passed instead, or which method is missing
 *
 * @example
 * ```ts
 * function toHandler(store: PlantStore) {
 *   assertStore('toHandler', store, 'handle', 'notFound')
 *   // ...
 * }
 * ```
 */
export function assertStore(callee: string, store: unknown, ...methods: readonly string[]): void {
  assertMethods(`${callee} takes a store, as createPlantStore(…) returns it`, store, methods)
}

/**
 * Serves a request to its end: the reply of its route, or the store's 404. Never rejects: what an app's wrapper around
 * the store throws is logged, and the reply is a 500.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * const reply = await getReply(store, incoming)
 * ```
 */
export async function getReply(store: MountedStore, request: IncomingRequest): Promise<Reply> {
  try {
    const reply = (await store.handle(request)) ?? (await store.notFound(request))
    // Anything else that a wrapper resolves to has no members, and would become an empty 200.
    if (typeof reply === 'object') return reply
    throw new TypeError(`handle must resolve to a reply or undefined; got ${kindOf(reply)}`)
  } catch (error) {
    return internalErrorReply(error, request)
  }
}

/**
 * Like `getReply`, for a host that sends Fetch responses. Never rejects: what an app's wrapper around the store throws,
 * and a reply of it that is not a valid response, such as one with the status 42, is logged and becomes a 500. A runtime
 * that gave `waitUntil` is kept alive for the response.
 *
 * @param store what `createPlantStore` returns, or a wrapper around it
 *
 * @example
 * ```ts
 * const response = await getResponse(store, fromRequest(request))
 * ```
 */
export function getResponse(store: MountedStore, request: IncomingRequest): Promise<Response> {
  const response = respond(store, request)
  // When a client disconnects, workerd runs nothing more of its request otherwise: not even finally.
  request.waitUntil?.(response)
  return response
}

async function respond(store: MountedStore, request: IncomingRequest): Promise<Response> {
  try {
    return toResponse(await getReply(store, request))
  } catch (error) {
    return toResponse(internalErrorReply(error, request))
  }
}

/**
 * Logs what an app's wrapper around the store threw, or what the host threw at the wrapper's reply, and returns the 500
 * to send instead.
 *
 * @param error what was thrown. The client learns nothing of it
 *
 * @example
 * ```ts
 * try {
 *   await send(reply)
 * } catch (error) {
 *   await send(internalErrorReply(error, incoming))
 * }
 * ```
 */
export function internalErrorReply(error: unknown, request: IncomingRequest): Reply {
  logError(error, new LazyContext(request))
  return failureReply(new Failure('internal'))
}

/**
 * Creates a Fetch `Response` of a reply. A streamed body is pulled as fast as the client reads.
 *
 * @example
 * ```ts
 * const response = toResponse(await getReply(store, incoming))
 * ```
 */
export function toResponse({ status, headers, body }: Reply): Response {
  return new Response(isStream(body) ? toStream(body) : body, { status, headers })
}

/**
 * Streams the parts from promises that are awaited here, so that a storage and a hook run in the AsyncLocalStorage context
 * of the request, and not in that of the code that pulls or cancels.
 */
function toStream(parts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  const canceled = Promise.withResolvers<void>()
  let demand = Promise.withResolvers<void>()

  async function pump(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        await demand.promise
        demand = Promise.withResolvers()
        const { done, value } = await iterator.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      }
    } catch (error) {
      controller.error(error)
    }
  }
  const stopped = canceled.promise.then(() => iterator.return?.())
  return new ReadableStream(
    {
      start: (controller) => void pump(controller),
      pull: () => demand.resolve(),
      async cancel() {
        canceled.resolve()
        await stopped
      },
    },
    // Don't read ahead of the client.
    { highWaterMark: 0 },
  )
}
