import type { BodyLimit } from '../incoming-request.ts'
import { createBodyBuffer } from './body-buffer.ts'

/**
 * Reads a body from its chunks, bytes or text, or resolves to `null` as soon as it turns out to be larger than
 * `limit.maxBytes`. It then ends the iteration, and most streams are destroyed by that. If that closes the
 * connection of your host, the client loses the 413: pass `stream.iterator({ destroyOnReturn: false })`.
 *
 * @example
 * ```ts
 * const readBody = (limit: BodyLimit) => readChunks(message, limit) // of a node:http request
 * ```
 */
export async function readChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  limit: BodyLimit,
): Promise<Uint8Array | null> {
  const body = createBodyBuffer(limit)
  for await (const chunk of chunks) {
    if (!body.add(chunk)) return null
  }
  return body.toBytes()
}
