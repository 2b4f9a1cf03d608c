import type { IncomingRequest } from '../../src/adapter.ts'
import { readBody } from './body.ts'
import { isEncrypted, isGone, type NodeRequest, type NodeResponse } from './message.ts'

/**
 * Reads a Node request as an `IncomingRequest`. A `Request` is built only if somebody asks for it.
 *
 * @param fullUrl the URL that a verifier sees, with the path that the app is mounted at. Default: the message's
 */
export function fromNodeRequest(
  message: NodeRequest,
  response: NodeResponse,
  fullUrl = message.url!,
): IncomingRequest {
  let signal: AbortSignal | undefined
  function toSignal(): AbortSignal {
    signal ??= signalOf(message, response)
    return signal
  }
  return {
    method: message.method!,
    url: message.url!,
    headers: { get: (name) => getHeader(message, name) },
    readBody: (maxBytes) => readBody(message, response, maxBytes),
    toRequest: () => toRequest(message, fullUrl, toSignal()),
    toSignal,
    isAborted: () => isGone(message, response),
  }
}

/** Node drops duplicates of these. Joined, they are refused instead: which one counts is ambiguous. */
const SINGLETON_HEADERS = ['authorization', 'content-type']

/** Returns a header's value. Several fields of one name are joined. */
export function getHeader({ headers, rawHeaders }: NodeRequest, name: string): string | null {
  const value = headers[name] ?? null
  if (value === null) return null
  if (Array.isArray(value)) return value.join(', ')
  if (!SINGLETON_HEADERS.includes(name)) return String(value)
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i]!
    if (field.length !== name.length || field.toLowerCase() !== name) continue
    values.push(rawHeaders[i + 1]!)
  }
  // A middleware may have replaced a single one, also by a number, so that isn't taken from rawHeaders.
  return values.length > 1 ? values.join(', ') : String(value)
}

/** Creates the signal that is aborted when the client disconnects before it has got the response. */
function signalOf(message: NodeRequest, response: NodeResponse): AbortSignal {
  const controller = new AbortController()
  const onClose = () => isGone(message, response) && !response.writableEnded && controller.abort()
  response.once('close', onClose)
  onClose()
  return controller.signal
}

/** `new Request` throws for these. */
const FORBIDDEN_METHODS = ['CONNECT', 'TRACE', 'TRACK']

function toRequest(message: NodeRequest, url: string, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const name of Object.keys(message.headers)) {
    const value = getHeader(message, name)
    try {
      if (value !== null) headers.set(name, value)
    } catch {
      // An HTTP/2 pseudo-header, or what a middleware has set and no header can hold.
    }
  }
  const method = message.method!
  const isAllowed = !FORBIDDEN_METHODS.includes(method.toUpperCase())
  const init = { method: isAllowed ? method : 'GET', headers, signal }
  const request = new Request(absoluteUrl(message, url), init)
  return isAllowed ? request : Object.defineProperty(request, 'method', { value: method })
}

/** A host that a URL accepts, and a port, without a user. */
const AUTHORITY = /^(?:[\w\-.~!$&'()*+,;=%]+|\[[\da-f:.]+\])(?::\d*)?$/i

function absoluteUrl(message: NodeRequest, url: string): string {
  const isPath = url.startsWith('/')
  const { host = message.headers[':authority'] } = message.headers
  const authority = isPath ? host : /^https?:\/\/([^/?]*)/i.exec(url)?.[1]
  const scheme = isEncrypted(message) ? 'https' : 'http'
  const absolute = isPath ? `${scheme}://${host}${url}` : url
  // HTTP allows no host, and those that a URL doesn't, such as an empty one or port 99999.
  const isUrl = authority !== undefined && AUTHORITY.test(String(authority))
  return isUrl && URL.canParse(absolute) ? absolute : `http://localhost${isPath ? url : ''}`
}
