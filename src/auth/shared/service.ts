import { kindOf } from '../../lib/arguments.ts'

const MAX_BYTES = 1024 * 1024

/** Loopback, where nobody else is on the network path. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Parses the URL of a service whose keys or responses are trusted. Throws a TypeError if it isn't safe. */
export function trustedUrl(option: string, value: string | URL, allowHttp: unknown): URL {
  const url = URL.parse(String(value))
  // The value isn't shown: it may be a secret that was passed as the wrong option.
  if (!url) throw new TypeError(`${option} must be an absolute URL; got ${kindOf(value)}`)
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${option} must be a URL without user name and password`)
  }
  const mayBeHttp = allowHttp === true || LOOPBACK.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && mayBeHttp)) return url
  throw new TypeError(
    `${option} must be an https: URL, or set allowHttp; got ${url.protocol}//${url.host}`,
  )
}

/**
 * A service that can't be reached, or whose response can't be used. Names the service by its option and its URL, without
 * the query, which may hold a secret.
 */
export class ServiceError extends Error {
  constructor(option: string, url: string | URL, fault: string, cause?: unknown) {
    const { origin, pathname } = new URL(url)
    super(`${option}: ${origin}${pathname} ${fault}`, cause === undefined ? {} : { cause })
  }
}

/**
 * Fetches JSON from a trusted service. Redirects are not followed, since only this URL is trusted and may get
 * the credentials.
 *
 * @param option the option that the URL was passed as, for messages
 * @throws ServiceError unless the response is a 200 with JSON in UTF-8 of at most 1 MiB. The message never quotes
 *   the response
 */
export async function fetchJson(
  option: string,
  url: string | URL,
  init: RequestInit,
): Promise<unknown> {
  const failToRead = (cause: unknown) => {
    throw new ServiceError(option, url, "can't be read", cause)
  }
  const { status, body } = await fetch(url, { ...init, redirect: 'manual' }).catch(failToRead)
  if (status !== 200) {
    await body?.cancel()
    throw new ServiceError(option, url, `responded with status ${status}; expected 200`)
  }
  const text = await readLimitedText(body).catch(failToRead)
  try {
    return JSON.parse(text)
  } catch {
    // The SyntaxError would quote the response, which may name the owner.
    throw new ServiceError(option, url, 'responded with malformed JSON')
  }
}

async function readLimitedText(body: Response['body']): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error(`More than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
