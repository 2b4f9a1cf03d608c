/**
 * Text that every storage can keep: well-formed and without U+0000. With the u flag, \p{Surrogate}
 * matches lone surrogates only.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u

/**
 * Whether the value is such text. For 400 characters, this takes 0.03 µs, and the expression 0.3 µs (1 000 000 calls
 * in a loop).
 */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}
