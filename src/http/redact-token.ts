const REPLACEMENT = '[token]'

/** Shorter tokens are redacted as whole words only, so that the token `t` doesn't garble every word with a t. */
const MIN_LENGTH_IN_WORDS = 8

// A letter or digit beside a short token makes it part of a word. So does the apostrophe in "can't".
const NO_WORD_BEFORE = "(?<![\\p{L}\\p{N}_]['’]?)"
const NO_WORD_AFTER = "(?!['’]?[\\p{L}\\p{N}_])"

/**
 * Replaces the token with `[token]`: verbatim, percent-encoded and form-encoded, with hexadecimal digits in
 * either case. Replacements are not redacted again.
 *
 * @param token a token68 (RFC 9110, section 11.2)
 */
export function redactToken(text: string, token: string): string {
  const form = new URLSearchParams({ '': token }).toString().slice(1)
  const encoded = [encodeURIComponent(token), form]
  // The longest first, since a shorter one may be a part of it.
  const writings = [...new Set([token, ...encoded, ...encoded.map(toLowerCaseHex)])].sort(
    (a, b) => b.length - a.length,
  )
  if (token.length < MIN_LENGTH_IN_WORDS) return text.replace(asWholeWord(writings), REPLACEMENT)
  // The replacement is shorter than the token, so it can't contain it. Not a regular expression: a token of
  // 16 KiB would overflow V8's stack.
  return writings.reduce((rest, writing) => rest.replaceAll(writing, REPLACEMENT), text)
}

function asWholeWord(writings: string[]): RegExp {
  const alternatives = writings.map((writing) => writing.replace(/[.+/]/g, '\\$&')).join('|')
  return new RegExp(`${NO_WORD_BEFORE}(?:${alternatives})${NO_WORD_AFTER}`, 'gu')
}

function toLowerCaseHex(text: string): string {
  return text.replace(/%../g, (hex) => hex.toLowerCase())
}
