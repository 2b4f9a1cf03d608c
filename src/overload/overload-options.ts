import { assertOptions, assertWholeNumber } from '../lib/arguments.ts'
import { type CallLimit, createAdaptiveLimit, createFixedLimit } from './call-limit.ts'

/** The options of `withOverloadProtection` and `limitCalls`. */
export interface OverloadOptions {
  /**
   * The maximum number of calls that are in progress at once, such as the size of a pool. For a storage, of each of its
   * methods. One owner gets seven of eight slots at most, and one of two, even if nobody else calls. So take a few more
   * than the pool has. `Infinity` means no limit. Default: found by measurement.
   */
  maxConcurrentCalls?: number | undefined
}

/** Checks the options. Returns the function that creates a limit. */
export function readOverloadOptions(callee: string, options: OverloadOptions): () => CallLimit {
  assertOptions(callee, options, ['maxConcurrentCalls'])
  const { maxConcurrentCalls: max } = options
  if (max !== undefined && max !== Number.POSITIVE_INFINITY) {
    assertWholeNumber('maxConcurrentCalls', max, 1, Number.MAX_SAFE_INTEGER)
  }
  return () => (max === undefined ? createAdaptiveLimit() : createFixedLimit(max))
}
