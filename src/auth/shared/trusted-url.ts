import { kindOf } from '../../lib/arguments.ts'

// Hosts that need no TLS: loopback, and names that only a private network resolves.
const PRIVATE_HOST = /^(?:[\w-]+|.+\.(?:localhost|local|internal)|127(?:\.\d+){3}|\[::1\])$/

/** Parses the URL of a service whose keys or responses are trusted. Throws a TypeError if it isn't safe. */
export function trustedUrl(option: string, value: string | URL): URL {
  const url = URL.parse(String(value))
  // The value isn't shown: it may be a secret that was passed as the wrong option.
  if (!url) throw new TypeError(`${option} must be an absolute URL; got ${kindOf(value)}`)
  const isSecure =
    url.protocol === 'https:' || (url.protocol === 'http:' && PRIVATE_HOST.test(url.hostname))
  const hasCredentials = url.username !== '' || url.password !== ''
  if (!isSecure || hasCredentials) {
    const got = hasCredentials ? 'a URL with credentials' : `${url.protocol}//${url.host}`
    throw new TypeError(
      `${option} must be an https: URL without user name and password (http: is allowed only for localhost, host names without dots, .local and .internal); got ${got}`,
    )
  }
  return url
}
