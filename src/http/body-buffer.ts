const encoder = new TextEncoder()

/** Collects the chunks of a body. */
export interface BodyBuffer {
  /** Adds a chunk, bytes or text; false, and nothing added, when the body would exceed its maximum size. */
  add(chunk: Uint8Array | string): boolean
  /** The whole body. */
  toBytes(): Uint8Array
}

/** Chunks are copied together up to this size. */
const BLOCK_BYTES = 32 * 1024

/**
 * Creates a buffer for a body of at most `maxBytes` bytes. Chunks that fit a block together are copied into it, since a
 * chunk of one byte may keep 64 KiB of the host's read buffer alive. Larger ones are copied once, at the end: the page
 * faults of one growing buffer make 1 MiB stall other clients up to half as long again (npm run bench -- connection).
 * A single chunk is not copied.
 *
 * It keeps at most four times the body alive: chunks of 1 byte and 32 KiB by turns, each in a read buffer of its own.
 */
export function createBodyBuffer(maxBytes: number): BodyBuffer {
  const blocks: Uint8Array[] = []
  let last: Uint8Array = new Uint8Array()
  let lastLength = 0
  let length = 0

  function append(chunk: Uint8Array): void {
    const end = lastLength + chunk.byteLength
    if (end > last.byteLength) {
      last = grow(last, Math.min(Math.max(end, lastLength * 2), BLOCK_BYTES))
    }
    last.set(chunk, lastLength)
    lastLength = end
  }
  function begin(chunk: Uint8Array): void {
    if (lastLength > 0) blocks.push(last.subarray(0, lastLength))
    last = chunk
    lastLength = chunk.byteLength
  }

  return {
    add(part) {
      const chunk = typeof part === 'string' ? encoder.encode(part) : part
      if (length + chunk.byteLength > maxBytes) return false
      length += chunk.byteLength
      if (lastLength > 0 && lastLength + chunk.byteLength <= BLOCK_BYTES) append(chunk)
      else begin(chunk)
      return true
    },
    toBytes() {
      const rest = last.subarray(0, lastLength)
      return blocks.length === 0 ? rest : join([...blocks, rest], length)
    },
  }
}

function grow(bytes: Uint8Array, capacity: number): Uint8Array {
  const larger = new Uint8Array(capacity)
  larger.set(bytes)
  return larger
}

function join(blocks: Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const block of blocks) {
    bytes.set(block, at)
    at += block.byteLength
  }
  return bytes
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
