import { isStream, type Reply } from '../reply.ts'

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
 * Streams the parts from loops that are started here, so that a storage and a hook run in the AsyncLocalStorage context
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
  async function stopWhenCanceled(): Promise<void> {
    await canceled.promise
    await iterator.return?.()
  }
  const stopped = stopWhenCanceled()
  return new ReadableStream(
    {
      start: (controller) => void pump(controller),
      pull: () => demand.resolve(),
      cancel() {
        canceled.resolve()
        return stopped
      },
    },
    // Don't read ahead of the client.
    { highWaterMark: 0 },
  )
}
