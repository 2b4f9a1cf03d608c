import { Failure } from '../http/failure.ts'
import { OverloadedError } from '../http/overloaded-error.ts'
import type { BodyLimit } from '../incoming-request.ts'

/** Bodies up to this size, in bytes, are not counted, so that small creates go on. */
export const FREE_BYTES = 16 * 1024
/** The memory of all other bodies together, in bytes. */
const TOTAL_BYTES = 16 * 1024 * 1024
/** How many bodies may wait for this memory. Node holds up to 128 KiB of each, and Bun all of it. */
const MAX_WAITING = 32
const MAX_WAIT_MS = 5000
const POLL_MS = 20

/** The limit of a body, until `release` gives its memory back. */
export interface ReleasableLimit extends BodyLimit {
  /** Waits until there is room for a body of this size, but not for long: `reserve` then decides. */
  waitForRoom(bytes: number): Promise<void>
  release(): void
}

/**
 * Bounds the memory of all bodies that are being read or stored: clients that never finish theirs would fill it. A body
 * that doesn't fit waits without being read, and is then 503 `overloaded`.
 */
export function createBodyMemory(maxBytes: number): () => ReleasableLimit {
  const total = Math.max(TOTAL_BYTES, 4 * maxBytes)
  const cause = new OverloadedError('Other bodies fill the memory')
  let reserved = 0
  let waiting = 0

  async function waitForRoom(bytes: number): Promise<void> {
    // A body that is too large is refused without being read.
    if (bytes > maxBytes || waiting === MAX_WAITING) return
    waiting++
    for (let ms = 0; ms < MAX_WAIT_MS && reserved + bytes > total; ms += POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    waiting--
  }

  return () => {
    let own = 0
    return {
      maxBytes,
      waitForRoom,
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
