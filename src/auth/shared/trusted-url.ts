// Hosts that need no TLS: loopback, and names that only a private network resolves.
const PRIVATE_HOST = /^(?:[\w-]+|.+\.(?:localhost|local|internal)|127(?:\.\d+){3}|\[::1\])$/

/** Parses the URL of a service whose keys or responses are trusted. Throws a TypeError if it isn't safe. */
export function trustedUrl(option: string, value: string | URL): URL {
  const url = URL.parse(String(value))
  if (!url) throw new TypeError(`${option} must be an absolute URL`)
  const isSecure =
    url.protocol === 'https:' || (url.protocol === 'http:' && PRIVATE_HOST.test(url.hostname))
  if (!isSecure || url.username !== '' || url.password !== '') {
    throw new TypeError(
      `${option} must be an https: URL without user name and password (http: is allowed only for localhost, host names without dots, .local and .internal)`,
    )
  }
  return url
}
