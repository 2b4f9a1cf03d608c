/**
 * Text that every storage can keep: well-formed and without U+0000. With the u flag, \p{Surrogate}
 * matches lone surrogates only.
 */
export const storableText = /^[^\0\p{Surrogate}]*$/u

/** The syntax of a bearer token: RFC 9110, section 11.2. */
export const TOKEN68 = /^[a-z0-9\-._~+/]+=*$/i
