/** A preference with its value, as a token or quoted, and what follows up to the next comma. */
const PREFERENCE =
  /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?(?:"(?:[^"\\]|\\.)*"|[^",])*/g

/**
 * Reads a Prefer header (RFC 7240, section 2): the value of each preference by its name in lower case. The first of a name
 * counts. Parameters are dropped.
 */
export function parsePrefer(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const [, name, quoted, token = ''] of header.matchAll(PREFERENCE)) {
    const key = name!.toLowerCase()
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token
    if (!preferences.has(key)) preferences.set(key, value)
  }
  return preferences
}
