import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { IncomingRequest } from '../../src/incoming-request.ts'
import { readBody } from './body.ts'
import { isHost } from './target.ts'

/** A request of a node:http, node:https or node:http2 server. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The response that belongs to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/**
 * Reads a request of Node's as the store's IncomingRequest: no Request, no web stream and no Headers
 * are built unless somebody asks for them.
 *
 * @param url what the store matches, and what a verifier sees: absolute, or path and query
 * @param beforeBody called once when the body is really going to be read
 */
export function fromNodeRequest(
  message: NodeRequest,
  response: NodeResponse,
  url: string,
  beforeBody?: () => void,
): IncomingRequest {
  return {
    method: message.method!,
    url,
    headers: { get: (name) => getHeader(message, name) },
    readBody: (maxBytes) => readBody(message, maxBytes, beforeBody),
    toRequest: () => toRequest(message, response, url),
  }
}

/** Node keeps the first of these and drops the rest; who sends two must not be served by one of them. */
const KEPT_FIRST = ['authorization', 'content-type', 'host']

function getHeader({ headers, rawHeaders }: NodeRequest, name: string): string | null {
  const value = headers[name]
  if (value === undefined) return null
  if (typeof value !== 'string') return value.join(', ')
  if (!KEPT_FIRST.includes(name)) return value
  // A middleware may have set the header, so a single one is not taken from rawHeaders.
  return isRepeated(rawHeaders, name) ? valuesOf(rawHeaders, name).join(', ') : value
}

function valuesOf(rawHeaders: string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]!.toLowerCase() === name)
}

/** Whether a header was sent more than once, by its lower-case name. */
export function isRepeated(rawHeaders: string[], name: string): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i]!
    if (field.length === name.length && field.toLowerCase() === name && ++count > 1) return true
  }
  return false
}

function toRequest(message: NodeRequest, response: NodeResponse, url: string): Request {
  const headers = new Headers()
  for (const name of Object.keys(message.headers)) {
    // HTTP/2 has its pseudo-headers among the others.
    if (!name.startsWith(':')) headers.set(name, getHeader(message, name)!)
  }
  const hangUp = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) hangUp.abort()
  })
  return new Request(absoluteUrl(message, url), {
    method: message.method,
    headers,
    signal: hangUp.signal,
  })
}

function absoluteUrl(message: NodeRequest, url: string): string {
  if (!url.startsWith('/')) return url
  const host = message.headers.host ?? (message.headers[':authority'] as string | undefined) ?? ''
  const absolute = `${isSecure(message) ? 'https' : 'http'}://${host}${url}`
  // Not every Host that HTTP allows can stand in a URL: it may be empty, or have port 99999.
  return host !== '' && isHost(host) && URL.canParse(absolute) ? absolute : `http://localhost${url}`
}

function isSecure(message: NodeRequest): boolean {
  // An HTTP/2 stream that is gone has no socket to ask any more.
  return 'stream' in message
    ? message.scheme === 'https'
    : (message.socket as TLSSocket).encrypted === true
}
