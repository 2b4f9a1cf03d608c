// RFC 8288, section 3: a target, a `rel` parameter, or the quoted value of another parameter, which may
// contain anything. The time is linear: a target ends at the next `<`, and a quoted value at the next quote
// or at the end, so that no text is scanned twice. `fetch` bounds the length: to 16 KiB in Node.
const TOKEN = /<([^<>]*)>|;\s*rel\s*=\s*("[^"]*"|[^\s;,]*)|"(?:\\.|[^"\\])*"?/gi

/** Finds the target of the first link with the relation `next` in a `Link` header. */
export function nextLink(header: string): string | undefined {
  let target: string | undefined
  for (const [, uri, relations] of header.matchAll(TOKEN)) {
    if (/(^|[ "])next([ "]|$)/i.test(relations!)) return target
    target = uri ?? target
  }
  return undefined
}
