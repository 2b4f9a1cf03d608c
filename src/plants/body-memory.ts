import { Failure } from '../http/failure.ts'
import { OverloadedError } from '../http/overloaded-error.ts'
import type { BodyLimit } from '../incoming-request.ts'

/** Bodies up to this size, in bytes, are not counted, so that small creates go on. */
const FREE_BYTES = 16 * 1024
/** The memory of all other bodies together, in bytes. */
const TOTAL_BYTES = 32 * 1024 * 1024

/** The limit of a body, until `release` gives its memory back. */
export interface ReleasableLimit extends BodyLimit {
  release(): void
}

/**
 * Bounds the memory of all bodies that are being read or stored: clients that never finish theirs would fill it. A body
 * that doesn't fit is 503 `overloaded`.
 */
export function createBodyMemory(maxBytes: number): () => ReleasableLimit {
  const total = Math.max(TOTAL_BYTES, 4 * maxBytes)
  const cause = new OverloadedError('Other bodies fill the memory')
  let reserved = 0

  return () => {
    let own = 0
    return {
      maxBytes,
      reserve(bytes) {
        if (bytes <= FREE_BYTES || bytes <= own) return
        if (reserved + bytes - own > total) throw new Failure('overloaded', { cause })
        reserved += bytes - own
        own = bytes
      },
      release() {
        reserved -= own
      },
    }
  }
}
