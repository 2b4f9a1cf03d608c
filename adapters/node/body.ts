import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { readChunks } from '../../src/http/body-buffer.ts'
import { BodyConsumedError } from '../../src/incoming-request.ts'

/**
 * Reads the body of a Node request, or resolves to `null` as soon as it turns out to be larger than
 * `maxBytes`.
 */
export async function readBody(
  message: IncomingMessage | Http2ServerRequest,
  response: { once(event: 'close', listener: () => void): unknown },
  maxBytes: number,
): Promise<Uint8Array | null> {
  // Node passes on a head before it reads the body that has come with it. Microtasks run after both.
  await undefined
  // Another reader that is added after this gets nothing.
  const isTaken = message.listenerCount('data') > 0 || message.listenerCount('readable') > 0
  if (isTaken || message.readableDidRead) throw new BodyConsumedError()
  const length = Number(message.headers['content-length'] ?? 0)
  if (length > maxBytes) return null
  // A small body has usually arrived whole, so no events are needed.
  if (length > 0 && message.readableLength >= length) return Buffer.from(message.read(length))

  // An iterator that destroyed the stream at a break would close the connection before the 413.
  const body = readChunks(message.iterator({ destroyOnReturn: false }), maxBytes)
  // Node doesn't abort a request that the app has answered meanwhile.
  return Promise.race([body, new Promise<never>((_, reject) => response.once('close', reject))])
}
