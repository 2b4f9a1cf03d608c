import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { createBodyBuffer } from '../../src/http/body-buffer.ts'
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

  if (message.destroyed) throw new Error('The client has disconnected')
  // Events, not an iterator, which keeps the chunks of a turn: 1 MiB in one-byte chunks stalls other clients twice as
  // long with it (npm run bench -- connection).
  return new Promise((resolve, reject) => {
    const body = createBodyBuffer(maxBytes)
    function add(chunk: Uint8Array | string): void {
      if (body.add(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) return
      message.off('data', add).pause()
      resolve(null)
    }
    function end(): void {
      // Node ends the body of an HTTP/2 stream that was reset, too.
      const isReset = 'stream' in message && message.stream.closed
      if (isReset) reject(new Error('The client has reset the stream'))
      else resolve(body.toBytes())
    }
    message.on('data', add).once('end', end).once('error', reject).once('close', reject)
    // A middleware may have paused it.
    message.resume()
    // Node doesn't abort a request that the app has answered meanwhile.
    response.once('close', reject)
  })
}
