/** The smallest id, -2^63. */
export const INT64_MIN = -(2n ** 63n)

/** The greatest id, 2^63 - 1. */
export const INT64_MAX = 2n ** 63n - 1n

/** The range, for messages. */
export const INT64_RANGE = `an integer from ${INT64_MIN} to ${INT64_MAX}`

/** Whether a bigint fits into an int64. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

const CANONICAL_DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/

/**
 * Parses the id in a path, after percent-decoding (RFC 3986, section 6.2.2.2): `%37` is 7. It must be a canonical decimal
 * (`0`, `-7`; not `007`, `+7`, `7.0`, `-0`) that fits into an int64.
 */
export function parseIdInPath(segment: string): bigint | undefined {
  try {
    const text = decodeURIComponent(segment)
    const id = CANONICAL_DECIMAL.test(text) ? BigInt(text) : undefined
    return id !== undefined && isInt64(id) ? id : undefined
  } catch {
    return undefined
  }
}
