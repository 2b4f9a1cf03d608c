/**
 * Text that every storage can keep: well-formed and without U+0000. With the u flag, \p{Surrogate}
 * matches lone surrogates only.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u

/** The same for any value. The expression takes 0.3 µs for 400 characters, this 0.03 µs (1 000 000 calls in a loop). */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}
