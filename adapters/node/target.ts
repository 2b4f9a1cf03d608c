// What the URL standard leaves as it is. Dots and percent signs may be dot segments.
const PLAIN_TARGET = /^\/[\w\-~!$&'()*+,;=:@/?]*$/
const ABSOLUTE_TARGET = /^https?:\/\/[^/\\]/i
const HOST = /^(?:[\w\-.~!$&'()*+,;=%]*|\[[\da-f:.]+\])(?::\d*)?$/i

/**
 * Reads a request target (RFC 9112, section 3.2) as a URL, or as no more than path and query: the
 * same path as it has on runtimes that give a `Request`, where `/a/../plants` is `/plants`.
 *
 * @returns undefined where it is neither a path nor an absolute http URL
 */
export function readTarget(target: string): string | undefined {
  if (PLAIN_TARGET.test(target)) return target
  // A fragment is no part of a target, and a URL would drop it.
  if (target.includes('#')) return undefined
  const absolute = target.startsWith('/') ? `http://localhost${target}` : target
  if (!ABSOLUTE_TARGET.test(absolute) || !URL.canParse(absolute)) return undefined
  const url = new URL(absolute)
  // RFC 9110, section 4.2.4: a user in an http URL is an error, and misleads.
  if (url.username !== '' || url.password !== '') return undefined
  return target.startsWith('/') ? url.pathname + url.search : url.href
}

/** Whether this is a `Host` (RFC 9110, section 7.2): a name or an IP address, and a port. */
export function isHost(host: string): boolean {
  return HOST.test(host)
}
