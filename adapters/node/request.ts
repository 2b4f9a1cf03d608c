import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { finished, type Readable } from 'node:stream'
// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'
import type { TLSSocket } from 'node:tls'
import {
  BodyConsumedError,
  createBodyBuffer,
  type IncomingBody,
  type IncomingRequest,
  type MaybePromise,
  readChunks,
} from '../../src/adapter.ts'
import { pendingReads } from '../pending-reads.ts'

/** A request of a server of `node:http`, `node:https` or `node:http2`, or what a framework passes in place of one. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The response to it. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/** What apps and frameworks add to a request. */
interface Extended {
  /** With the mount path that `url` lacks. */
  originalUrl?: string | undefined
  /** The body that a body parser has parsed. */
  body?: unknown
  /** The body's bytes or text, if the app has kept them. */
  rawBody?: unknown
}

/** Reads a Node request as an `IncomingRequest`. A `Request` is built only on demand. */
export function fromNodeRequest(
  message: NodeRequest,
  response: NodeResponse,
  caller?: IncomingRequest['caller'],
): IncomingRequest {
  let controller: AbortController | undefined
  function toSignal(): AbortSignal {
    if (!controller) {
      controller = new AbortController()
      response.once('close', abortIfGone)
      abortIfGone()
    }
    return controller.signal
  }
  function abortIfGone(): void {
    if (isGone(message, response) && !response.writableEnded) controller!.abort()
  }
  return {
    method: message.method!,
    url: message.url!,
    headers: {
      get(name) {
        // A parser has decoded what it has read, and the store needs no memory for it.
        const isOfBody = name === 'content-encoding' || name === 'content-length'
        return isOfBody && message.readableDidRead ? null : getHeader(message, name)
      },
    },
    readBody: (maxBytes) => readBody(message, response, maxBytes),
    toRequest: () => toRequest(message, toSignal()),
    toSignal,
    isAborted: () => isGone(message, response),
    caller,
  }
}

/** Whether the client has disconnected. */
export function isGone(message: NodeRequest, response: NodeResponse): boolean {
  if ('stream' in response) return response.stream.destroyed
  // What is injected, as by light-my-request, has no true socket, or one that has read nothing. A message without `complete`
  // destroys that at its end.
  const { socket } = message
  return response.destroyed || (socket?.writable === false && socket.bytesRead !== 0)
}

/** Whether the request came over TLS. */
export function isEncrypted({ socket }: NodeRequest): boolean {
  return (socket as TLSSocket | null)?.encrypted === true
}

/**
 * Waits until the responses to the requests before this one on its connection have been sent, and, under load, until
 * Node has read what else has come in. Undefined if there is nothing to wait for.
 */
export function requestTurn(
  message: NodeRequest,
  response: NodeResponse,
): Promise<void> | undefined {
  // The app has responded, so Node has taken the socket from the response, and drops the rest of the body.
  if (response.writableEnded) return undefined
  // What a middleware has resumed, or listens to, would flow before the store or a later handler of the app reads it.
  if (message.readableFlowing) message.pause()
  // Node gives a response its socket when those before it have been sent. HTTP/2 has streams instead, and a request that
  // is injected has no connection.
  const { socket } = message
  const isWaiting = response.socket === null && !('stream' in response)
  if (isWaiting && socket instanceof Socket && socket.bytesRead > 0) {
    return turnInPipeline(socket, response)
  }
  // Node ends a TLS socket in the turn of the event loop in which its client does, even if more is to be sent. And it
  // would read up to 128 KiB of each large body meanwhile.
  return isEncrypted(message) || !leavesSmallRest(message, response) ? undefined : pendingReads()
}

/** The rest of an unread body up to this size is read to keep the connection. */
const MAX_KEPT_BYTES = 64 * 1024

/**
 * Whether no more of the body comes. What is injected may not have a connection, or be a stream. A body of announced length
 * that has been begun was read to its end, which Node tells a little later.
 */
export function hasArrived(message: NodeRequest): boolean {
  const { complete, readableEnded, destroyed, socket, readableDidRead } = message
  if (complete || readableEnded !== false || destroyed || !socket?.on) return true
  const isBegun = readableDidRead && message.readableFlowing !== false
  return isBegun && getHeader(message, 'content-length') !== null
}

/** Whether the whole request has arrived, or the rest is so small that it is read to keep the connection. */
export function leavesSmallRest(message: NodeRequest, response: NodeResponse): boolean {
  if (hasArrived(message)) return true
  if ('stream' in response) return response.stream.endAfterHeaders
  const length = Number(getHeader(message, 'content-length'))
  return getHeader(message, 'transfer-encoding') === null && length <= MAX_KEPT_BYTES
}

/** From this many waiting requests on, no further ones are read from their connection until they have been served. */
const MAX_WAITING = 16

/** The number of requests of a connection that wait for the responses to those before them. */
const waitingOn = new WeakMap<Socket, number>()

/**
 * Requests of one connection are served one after the other (RFC 9112, section 9.3.2). If a response closes the
 * connection, this never resolves: the requests after it must not be carried out (section 9.6).
 */
async function turnInPipeline(socket: Socket, response: ServerResponse): Promise<void> {
  const before = waitingOn.get(socket) ?? 0
  waitingOn.set(socket, before + 1)
  // Its parser reads past a pause, unless something else listens to the data. And Node resumes a connection after each
  // response, and when what it has to send has drained.
  if (before === MAX_WAITING) socket.on('data', pauseAgain).on('resume', pauseAgain).pause()
  await new Promise((resolve) => response.once('socket', resolve))
  const left = waitingOn.get(socket)! - 1
  waitingOn.set(socket, left)
  if (left === 0) socket.off('data', pauseAgain).off('resume', pauseAgain).resume()
  // Node would serve all that it has read of a pipeline before it looks at another connection. A short one is served at
  // once: if its client has ended its side, Node ends the connection in the next turn.
  if (before >= MAX_WAITING) await new Promise((resolve) => setImmediate(resolve))
}

function pauseAgain(this: Socket): void {
  this.pause()
}

/** Reads the body of a request. The result is `null` as soon as it turns out to be larger than `maxBytes`. */
export function readBody(
  message: NodeRequest & Extended,
  response: NodeResponse,
  maxBytes: number,
): MaybePromise<IncomingBody | null> {
  // Node drops the body of a request that the app has answered.
  if (isGone(message, response)) return Promise.reject(new Error('Nobody waits for the response'))
  // node-mocks-http and node-mock-http have a body, and no stream of it.
  if (message.readableDidRead !== false || message.readableEnded) {
    const parsed = parsedBody(message, maxBytes)
    if (parsed !== undefined) return parsed
  }
  // A plain object has no more than its body.
  if (!message.on) return ''
  // A 'data' listener gets the body too. A 'readable' listener takes it.
  if (message.readableDidRead || message.listenerCount('readable') > 0) {
    throw new BodyConsumedError()
  }
  const length = Number(getHeader(message, 'content-length'))
  if (length > maxBytes) return null
  const isBuffered = length > 0 && message.readableLength >= length
  if (!isBuffered) return readEvents(message, response, maxBytes, length)
  // Without a size, a flowing request returns its first chunk only, and on Node 26 any request does.
  const body = message.read(length)
  // A middleware may wait for 'end' and 'close', which Node emits once somebody has read to the end.
  message.resume()
  return body
}

/** Returns the body that a parser has read, if it has left one. */
function parsedBody(
  message: NodeRequest & Extended,
  maxBytes: number,
): MaybePromise<IncomingBody | null> | undefined {
  const { rawBody, body, readableEnded } = message
  // Before the end, rawBody may be only the beginning.
  const kept = isRaw(rawBody) && readableEnded ? rawBody : body
  if (kept === undefined || isRaw(kept)) return kept
  // node-mock-http, and so $fetch of Nitro, leaves what fetch takes.
  const source = kept instanceof Blob ? kept.stream() : kept
  if (Symbol.asyncIterator in Object(source)) return readChunks(source as Readable, maxBytes)
  // A body that a parser has turned into a value has no other measure.
  return Number(getHeader(message, 'content-length')) > maxBytes ? null : { parsed: kept }
}

/** Whether a body is bytes or text. In a DOM for tests, `Uint8Array` is another realm's than that of Buffers. */
function isRaw(body: unknown): body is ArrayBuffer | Uint8Array | string {
  return ArrayBuffer.isView(body) || body instanceof ArrayBuffer || typeof body === 'string'
}

/**
 * Reads a body by its events. An iterator holds back the chunks of a turn, so that 1 MiB in one-byte chunks stalls
 * other clients half as long again (npm run bench -- connection).
 */
function readEvents(
  message: NodeRequest,
  response: NodeResponse,
  maxBytes: number,
  announced: number,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const body = createBodyBuffer(maxBytes, announced)
    function add(chunk: Uint8Array | string): void {
      if (body.add(chunk)) return
      resolve(null)
      message.off('data', add).pause()
    }
    const end = (error?: unknown) => (error ? reject(error) : resolve(body.toBytes()))
    // A middleware may have paused the request.
    message.on('data', add).resume?.()
    // A request of node-mocks-http emits the events of a stream, and isn't one.
    if (message.readableDidRead === undefined) message.once('end', end)
    else finished(message as Readable, end)
    // Node doesn't abort a request that the app has answered meanwhile.
    response.once('close', reject)
  })
}

/** Node drops duplicates of these. Joined, they are refused instead: which one counts is ambiguous. */
const SINGLETON_HEADERS = ['authorization', 'content-type']

/** Returns a header's value. Several fields of one name are joined. What a test passes may have no headers. */
function getHeader({ headers = {}, rawHeaders = [] }: NodeRequest, name: string): string | null {
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

/** `new Request` throws for these. */
const FORBIDDEN_METHODS = ['CONNECT', 'TRACE', 'TRACK']

function toRequest(message: NodeRequest & Extended, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const name of Object.keys(message.headers ?? {})) {
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
  const request = new Request(absoluteUrl(message), init)
  return isAllowed ? request : Object.defineProperty(request, 'method', { value: method })
}

/** A host that a URL accepts, and a port, without a user. */
const AUTHORITY = /^(?:[\w\-.~!$&'()*+,;=%]+|\[[\da-f:.]+\])(?::\d*)?$/i

function absoluteUrl(message: NodeRequest & Extended): string {
  const { url: ownUrl, originalUrl: url = ownUrl! } = message
  const isPath = url.startsWith('/')
  const host = getHeader(message, 'host') ?? getHeader(message, ':authority')
  const authority = isPath ? host : /^https?:\/\/([^/?]*)/i.exec(url)?.[1]
  // RFC 9113, section 8.3.1. HTTP/2 has no socket any more when its client has disconnected.
  const isSecure = getHeader(message, ':scheme') === 'https' || isEncrypted(message)
  const absolute = isPath ? `http${isSecure ? 's' : ''}://${host}${url}` : url
  // HTTP allows a request without a host, and hosts that a URL doesn't (an empty one, port 99999).
  const isUrl = AUTHORITY.test(authority ?? '')
  return isUrl && URL.canParse(absolute) ? absolute : `http://localhost${isPath ? url : ''}`
}
