/**
 * Text that every storage can keep: well-formed and without U+0000. With the u flag, \p{Surrogate}
 * matches lone surrogates only.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u

/** Whether the value is text that every storage can keep. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && storableText.test(value)
}
