import type { ServerResponse } from 'node:http'
import { isGone, type NodeRequest, type NodeResponse } from './message.ts'

/**
 * Streams a body at the pace of the client: the next part is asked for when the one before has left. When
 * the client disconnects, no further part is asked for. Rejects if nothing has been sent, or a write fails.
 */
export async function streamBody(
  message: NodeRequest,
  response: NodeResponse,
  body: AsyncIterable<string>,
  status: number,
  headers: Record<string, string>,
): Promise<void> {
  const isOpen = () => !isGone(message, response) && !response.headersSent
  let wake = () => {}
  // Once for the whole body: `compression` passes on() to a stream of its own, but not off().
  response.on('drain', () => wake()).on('close', () => wake())
  // On Node 22, a response that is queued behind another on its connection gets no 'close'. Its request does.
  message.on('close', () => wake())

  const parts = body[Symbol.asyncIterator]()
  let isReading = true
  try {
    // Before the status is sent, so that a first part that fails gets a 500.
    let part = isOpen() ? await parts.next() : undefined
    isReading = false
    if (part && isOpen()) {
      ;(response as ServerResponse).writeHead(status, headers)
      while (!part.done && !isGone(message, response)) {
        const hasRoom = (response as ServerResponse).write(part.value)
        if (!hasRoom) await new Promise<void>((resolve) => (wake = resolve))
        if (isGone(message, response)) break
        isReading = true
        part = await parts.next()
        isReading = false
      }
      if (part.done) return void response.end()
    }
    await parts.return?.()
  } catch (error) {
    await parts.return?.()
    // The store has called onError.
    if (isReading && response.headersSent) breakOff(message, response)
    else throw error
  }
}

/** Breaks the connection, so that the client doesn't take the truncated body for a complete one. */
export function breakOff(message: NodeRequest, response: NodeResponse): void {
  const { httpVersion, socket } = message
  // RFC 9113, section 7: INTERNAL_ERROR.
  if ('stream' in response) response.stream.close(0x2)
  // HTTP/1.0 has no chunks, so only a reset tells a truncated body from a complete one. TLS has no resets,
  // but its close_notify is missing then. On Unix sockets, which have no family, resetAndDestroy() throws.
  else if (httpVersion === '1.0' && socket.remoteFamily && !('encrypted' in socket)) {
    socket.resetAndDestroy()
  } else response.destroy()
}
