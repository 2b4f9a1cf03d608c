/** A shorter token may be part of a word. */
const MIN_TOKEN_LENGTH = 8

/** Replaces the request's token with `[token]`, also as it stands in a URL. */
export function redact(text: string, token: string | undefined): string {
  if (token === undefined) return text
  let parts = [text]
  // Not replaced one after the other, since a token such as "token" would be found in the replacements.
  for (const spelling of [token, encodeURIComponent(token)]) {
    const separator = spelling.length < MIN_TOKEN_LENGTH ? asWord(spelling) : spelling
    parts = parts.flatMap((part) => part.split(separator))
  }
  return parts.join('[token]')
}

/** A pattern of a short token where it stands alone, or after an escape. The token "e" would be found in most words. */
function asWord(token: string): RegExp {
  const escaped = token.replace(/[.+]/g, '\\$&')
  return new RegExp(
    `(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}|\\\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[a-z])))${escaped}(?![a-z0-9])`,
    'i',
  )
}
