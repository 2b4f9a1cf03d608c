import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Readable } from 'node:stream'
import { createBodyBuffer } from '../../src/http/body-buffer.ts'
import { BodyConsumedError } from '../../src/incoming-request.ts'

/**
 * Reads the body of a Node request, or resolves to `null` as soon as it turns out to be larger than
 * `maxBytes`.
 */
export async function readBody(
  message: IncomingMessage | Http2ServerRequest,
  maxBytes: number,
): Promise<Uint8Array | null> {
  // Node parses all that it has received before it runs microtasks, so a small body is complete after one.
  await undefined
  const isTaken = message.listenerCount('data') > 0 || message.listenerCount('readable') > 0
  if (isTaken || message.readableDidRead) throw new BodyConsumedError()
  if (message.readableEnded) return new Uint8Array()
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return null
  if (message.complete && !('stream' in message)) return readBuffered(message, maxBytes)

  const body = await readStream(message, maxBytes)
  // In HTTP/2, a stream that was reset ends like one that is complete.
  if ('stream' in message && message.stream.aborted) throw new Error('The client has disconnected')
  return body
}

/** Reads a stream up to `maxBytes`. */
export async function readStream(stream: Readable, maxBytes: number): Promise<Uint8Array | null> {
  const body = createBodyBuffer(maxBytes)
  // An iterator that destroyed the stream at a break would close the connection before the 413.
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (!body.add(toBytes(chunk))) return null
  }
  return body.toBytes()
}

/** Reads what has been received already, without events: a tenth of a create (npm run bench -- create). */
function readBuffered(message: IncomingMessage, maxBytes: number): Uint8Array | null {
  const body = createBodyBuffer(maxBytes)
  for (let chunk = message.read(); chunk !== null; chunk = message.read()) {
    if (!body.add(toBytes(chunk))) return null
  }
  return body.toBytes()
}

/** Middleware may have called setEncoding(). */
function toBytes(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
