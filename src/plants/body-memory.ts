import { Failure } from '../http/failure.ts'
import { OverloadedError } from '../http/overloaded-error.ts'
import type { BodyLimit } from '../incoming-request.ts'

/** Bodies up to this size, in bytes, are not counted, so that small creates go on. */
const FREE_BYTES = 16 * 1024
/** The memory of all other bodies together, in bytes. */
const TOTAL_BYTES = 16 * 1024 * 1024
/** How many bodies may wait for this memory. Node holds up to 128 KiB of each, and Bun all of it. */
const MAX_WAITING = 32
const MAX_WAIT_MS = 5000
const POLL_MS = 20

/** The limit of a body, until `release` gives its memory back. */
export interface ReleasableLimit extends BodyLimit {
  /** Whether to wait before a body of this size is read, because there is no room for it. */
  mustWait(bytes: number): boolean
  /** Waits for others to give back their memory. */
  pause(): Promise<void>
  release(): void
}

/**
 * Bounds the memory of all bodies that are being read or stored: clients that never finish theirs would fill it. A body
 * that doesn't fit is 503 `overloaded`. One that has announced its length waits for a while before, without being read.
 */
export function createBodyMemory(maxBytes: number): () => ReleasableLimit {
  const total = Math.max(TOTAL_BYTES, 4 * maxBytes)
  const cause = new OverloadedError('Other bodies fill the memory')
  let reserved = 0
  let waiting = 0

  return () => {
    let own = 0
    let waitedMs = 0
    return {
      maxBytes,
      reserve(bytes) {
        if (bytes <= FREE_BYTES || bytes <= own) return
        if (reserved + bytes - own > total) throw new Failure('overloaded', { cause })
        reserved += bytes - own
        own = bytes
      },
      mustWait(bytes) {
        // A body that is too large is refused without being read.
        const isCounted = bytes > FREE_BYTES && bytes <= maxBytes
        const mayWait = waitedMs === 0 ? waiting < MAX_WAITING : waitedMs < MAX_WAIT_MS
        return isCounted && reserved + bytes > total && mayWait
      },
      async pause() {
        waiting++
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        waiting--
        waitedMs += POLL_MS
      },
      release() {
        reserved -= own
      },
    }
  }
}
