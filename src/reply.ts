/**
 * An answer before it becomes a runtime's own: what `PlantStore.handle` gives to adapters.
 *
 * @example
 * ```ts
 * const reply: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' }
 * ```
 */
export interface Reply {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  /**
   * The whole body; or its parts, each to be asked for when the one before it has been sent; or none.
   * When the parts throw, the connection must break, so that the client doesn't take them for the
   * whole. When the client is gone, `return()` the iterator.
   */
  body: string | AsyncIterable<string> | null
}

/** A reply of JSON. */
export function jsonReply(body: Reply['body'], headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** Makes a Response of a reply. */
export function toResponse({ status, headers, body }: Reply): Response {
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
    // Nothing is read ahead of the client.
    { highWaterMark: 0 },
  )
}
