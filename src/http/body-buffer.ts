const encoder = new TextEncoder()

/** Collects the chunks of a body. */
export interface BodyBuffer {
  /** Adds a chunk, bytes or text; false, and nothing added, when the body would exceed its maximum size. */
  add(chunk: Uint8Array | string): boolean
  /** The whole body. */
  toBytes(): Uint8Array
}

/**
 * Creates a buffer for a body of at most `maxBytes` bytes. Chunks are copied into one growing buffer,
 * since a chunk of one byte may keep 64 KiB of the host's read buffer alive. A single chunk is not copied.
 */
export function createBodyBuffer(maxBytes: number): BodyBuffer {
  let bytes = new Uint8Array()
  let length = 0
  return {
    add(part) {
      const chunk = typeof part === 'string' ? encoder.encode(part) : part
      const end = length + chunk.byteLength
      if (end > maxBytes) return false
      if (length === 0) bytes = chunk as Uint8Array<ArrayBuffer>
      else {
        if (end > bytes.byteLength)
          bytes = grow(bytes, Math.min(Math.max(end, length * 2), maxBytes))
        bytes.set(chunk, length)
      }
      length = end
      return true
    },
    toBytes: () => bytes.subarray(0, length),
  }
}

function grow(bytes: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity)
  larger.set(bytes)
  return larger
}

/**
 * Reads a body from its chunks, bytes or text, or resolves to `null` as soon as it turns out to be larger than
 * `maxBytes`. It then ends the iteration, and most streams are destroyed by that. If that closes the
 * connection of your host, the client loses the 413: pass `stream.iterator({ destroyOnReturn: false })`.
 *
 * @example
 * ```ts
 * const body = await readChunks(message, 65_536) // of a node:http request; null if it is larger
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
