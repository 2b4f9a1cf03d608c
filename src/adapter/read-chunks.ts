import { createBodyBuffer } from './body-buffer.ts'

/**
 * Reads a body from its chunks, bytes or text, or resolves to `null` as soon as it turns out to be larger than
 * `maxBytes`. It then ends the iteration, and most streams are destroyed by that. If that closes the
 * connection of your host, the client loses the 413: pass `stream.iterator({ destroyOnReturn: false })`.
 *
 * @example
 * ```ts
 * const readBody = (maxBytes: number) => readChunks(message, maxBytes) // of a node:http request
 * ```
 */
export async function readChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const body = createBodyBuffer(maxBytes)
  for await (const chunk of chunks) {
    if (!body.add(chunk)) return null
  }
  return body.toBytes()
}
