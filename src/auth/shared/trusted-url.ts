// What can't be reached from outside needs no TLS: loopback, and names that only an own network knows.
const OWN_NETWORK = /^(?:[\w-]+|.+\.(?:localhost|local|internal)|127(?:\.\d+){3}|\[::1\])$/

/** Reads the URL of a service that keys or answers are trusted from, or throws a TypeError. */
export function trustedUrl(option: string, value: string | URL): URL {
  const url = URL.parse(String(value))
  if (!url) throw new TypeError(`${option} must be an absolute URL`)
  const secure =
    url.protocol === 'https:' || (url.protocol === 'http:' && OWN_NETWORK.test(url.hostname))
  if (!secure || url.username !== '' || url.password !== '') {
    throw new TypeError(
      `${option} must be an https: URL without user and password (http: only to localhost, a name without dots, .local or .internal)`,
    )
  }
  return url
}
