import { BodyConsumedError, type IncomingBody, type IncomingRequest } from '../incoming-request.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { createBodyBuffer } from './body-buffer.ts'

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
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    readBody: (maxBytes) => readBody(request, maxBytes),
    toRequest: () => (/^(?:GET|HEAD)$/.test(request.method) ? request : withoutBody(request)),
    // A framework's own Request may lack the signal.
    isAborted: () => request.signal?.aborted === true,
  }
}

function withoutBody({ method, url, headers, signal }: Request): Request {
  return new Request(url, { method, headers, signal })
}

function readBody(request: Request, maxBytes: number): MaybePromise<IncomingBody | null> {
  const announced = request.headers.get('content-length')
  // First, since srvx begins to read a body when `body` or `bodyUsed` is asked for. Unread, Node drains it.
  if (announced !== null && Number(announced) > maxBytes) return null
  if (request.bodyUsed) throw new BodyConsumedError()
  if (announced === null) return readStream(request, maxBytes)
  // Reads the body in one call, since no server passes on more bytes than were announced (RFC 9112, section 6.3). On
  // Bun, a plant takes 1.5 µs less than chunk by chunk (10 000 calls in a loop).
  return request.arrayBuffer()
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const body = createBodyBuffer(maxBytes)
  // Not for await: not every runtime's ReadableStream is async iterable.
  const reader = request.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
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
