import { INT64_MAX, INT64_MIN } from '../../lib/int64.ts'
import type { PageQuery } from '../../plant-storage.ts'

/** Returns the smallest id that a page may have. Undefined if no id is greater than `after`. */
export function firstIdOf({ after }: PageQuery): bigint | undefined {
  if (after === undefined) return INT64_MIN
  return after === INT64_MAX ? undefined : after + 1n
}
