const encoder = new TextEncoder()

/** Collects the chunks of a body. */
export interface BodyBuffer {
  /** Adds a chunk, bytes or text; false, and nothing added, when the body would exceed its maximum size. */
  add(chunk: Uint8Array | string): boolean
  /** The whole body. */
  toBytes(): Uint8Array
}

/**
 * Creates a buffer for a body. A single chunk is not copied. Further ones are copied together, since a chunk of one
 * byte may keep 64 KiB of the host's read buffer alive.
 *
 * @param announced the `Content-Length`, in bytes, if it is known: the memory is then taken once. Default: unknown
 */
export function createBodyBuffer(maxBytes: number, announced = 0): BodyBuffer {
  let bytes: Uint8Array = new Uint8Array()
  let length = 0
  return {
    add(part) {
      const chunk = typeof part === 'string' ? encoder.encode(part) : part
      const end = length + chunk.byteLength
      if (end > maxBytes) return false
      if (length === 0) bytes = chunk
      else {
        const capacity = Math.min(Math.max(end, announced, length * 2), maxBytes)
        if (end > bytes.byteLength) bytes = grow(bytes, capacity)
        bytes.set(chunk, length)
      }
      length = end
      return true
    },
    toBytes: () => bytes.subarray(0, length),
  }

  function grow(from: Uint8Array, capacity: number): Uint8Array {
    const larger = new Uint8Array(capacity)
    larger.set(from.subarray(0, length))
    return larger
  }
}
