import { BodyConsumedError } from '../errors.ts'
import type { IncomingBody, IncomingRequest } from '../incoming-request.ts'
import { isDeno } from '../lib/runtime.ts'
import { createBodyBuffer } from './body.ts'

/** Returns what the store was called with as an `IncomingRequest`, or throws a TypeError that names the right adapters. */
export function toIncomingRequest(input: Request | IncomingRequest): IncomingRequest {
  const { readBody, url, headers } = Object(input)
  if (typeof readBody === 'function') return input as IncomingRequest
  if (typeof url === 'string' && typeof headers?.get === 'function') {
    return fromRequest(input as Request)
  }
  if (typeof input === 'string' || 'href' in Object(input)) {
    throw new TypeError(
      'The plant store takes a Fetch Request; got a URL. Pass new Request(url, { headers: { authorization } })',
    )
  }
  throw new TypeError(
    'The plant store takes a Fetch Request. Mount it with toExpressHandler(store) of plant-store/express or toNodeHandler(store) of plant-store/node',
  )
}

/**
 * Reads a Fetch `Request` as an `IncomingRequest`.
 *
 * @example
 * ```ts
 * const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
 * const reply = await store.handle({ ...fromRequest(request), waitUntil })
 * ```
 */
export function fromRequest(request: Request): IncomingRequest {
  let isLost = false
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    readBody: (maxBytes) =>
      readFetchBody(request, maxBytes).catch((error) => {
        isLost = CONNECTION_LOST.test(String(error))
        throw error
      }),
    toSignal: () => request.signal,
    toRequest: () => (/^(?:GET|HEAD)$/.test(request.method) ? request : withoutBody(request)),
    // A framework's own Request may lack the signal.
    isAborted: () => isLost || request.signal?.aborted === true,
  }
}

/**
 * The errors of a body in Deno and workerd when the client disconnects. Deno aborts the signal only after the response, and
 * workerd doesn't.
 */
const CONNECTION_LOST = /^(?:BadResource|Http):|connection lost|client disconnected/

function withoutBody({ method, url, headers, signal, cf }: Request & { cf?: unknown }): Request {
  // A Request that is built from a URL has only those of Cloudflare's properties that it is given.
  return new Request(url, { method, headers, signal, cf } as RequestInit)
}

/** One field with a canonical length. Runtimes join two to `5, 5`, and let other notations pass. */
const CONTENT_LENGTH = /^(?:0|[1-9]\d{0,14})$/

async function readFetchBody(request: Request, maxBytes: number): Promise<IncomingBody | null> {
  const { headers } = request
  const contentLength = headers.get('content-length')
  // A length beside a transfer coding means nothing (RFC 9112, section 6.3), and workerd passes on both.
  const isAnnounced = CONTENT_LENGTH.test(contentLength ?? '') && !headers.has('transfer-encoding')
  const length = Number(contentLength)
  // First, since srvx begins to read a body when `body` or `bodyUsed` is asked for. Unread, Node drains it.
  if (isAnnounced && length > maxBytes) return null
  if (request.bodyUsed) throw new BodyConsumedError()
  if (!isAnnounced) return readStream(request, maxBytes)
  // In one call, since no server passes on more bytes than were announced.
  return request.arrayBuffer()
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body = createBodyBuffer(maxBytes)
  // Not for await: not every runtime's ReadableStream is async iterable.
  const reader = request.body && readerOf(request.body)
  while (reader) {
    const { done, value } = await reader.read(new Uint8Array(isDeno ? 4096 : 0))
    if (done) break
    if (!body.add(value)) {
      // Not cancel(): where the host has made the stream from a Node request (SvelteKit, React Router), that
      // destroys the connection, and the client can't read the 413.
      reader.releaseLock()
      return null
    }
  }
  return body.toBytes()
}

/**
 * With its default reader, Deno copies 64 KiB for each chunk: 1 MiB in chunks of one byte takes 49 s of CPU, and 6 s with a
 * reader that takes a buffer.
 */
function readerOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader {
  try {
    if (isDeno) return body.getReader({ mode: 'byob' })
  } catch {
    // It is not the stream of a connection.
  }
  return body.getReader() as never // It takes no buffer.
}
