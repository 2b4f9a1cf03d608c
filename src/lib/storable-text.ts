/**
 * Text that every storage can keep: well-formed and without U+0000. With the u flag, \p{Surrogate}
 * matches lone surrogates only.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u
