import type { ServerResponse } from 'node:http'
import { isGone, type NodeRequest, type NodeResponse } from './message.ts'

/**
 * Streams a body at the pace of the client: the next part is asked for when the one before has left. When
 * the client disconnects, no further part is asked for. Rejects if nothing has been sent, or a write fails.
 *
 * Not `pipeline()` of node:stream: Http2ServerResponse emits 'finish' when its client has reset the stream, and
 * the body would never be told.
 */
export async function streamBody(
  message: NodeRequest,
  response: NodeResponse,
  body: AsyncIterable<string>,
  status: number,
  headers: Record<string, string>,
): Promise<void> {
  const parts = body[Symbol.asyncIterator]()
  let isReading = false
  let hasBegun = false
  let hasEnded = false
  let isFull = false
  let wake = () => {}
  // Once for the whole body: `compression` passes on() to a stream of its own, but not off().
  response.on('drain', () => wake()).on('close', () => wake())

  /** Whether the client has disconnected, or the app has responded itself. */
  function isOver(): boolean {
    return isGone(message, response) || (response.headersSent && !hasBegun)
  }
  /** Sends the next part; false if there is none. The variables of the loop would keep it while the loop waits. */
  async function sendNext(): Promise<boolean> {
    isReading = true
    const { done = false, value } = await parts.next()
    isReading = false
    hasEnded = done
    if (isOver()) return false
    // Not before, so that a first part that fails gets a 500.
    if (!hasBegun) (response as ServerResponse).writeHead(status, headers)
    if (!('stream' in response)) corkForTwoTurns(response)
    hasBegun = true
    if (done) response.end()
    // Node would keep a string beside its copy of it for as long as the client doesn't read.
    else isFull = !(response as ServerResponse).write(Buffer.from(value))
    return !done
  }

  try {
    while (!isOver() && (await sendNext())) {
      if (isFull) await new Promise<void>((resolve) => (wake = resolve))
    }
  } catch (error) {
    // The store has called onError.
    if (isReading && hasBegun) abortResponse(message, response)
    else throw error
  } finally {
    if (!hasEnded) await parts.return?.()
  }
}

/**
 * Sends the parts that come within two turns of the event loop together, since each write is a system call: a list of 500
 * takes a fifth less CPU (npm run bench -- http).
 */
function corkForTwoTurns({ socket }: NodeResponse): void {
  if (!socket || socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => setImmediate(() => socket.uncork()))
}

/** Breaks the connection, so that the client doesn't take the truncated body for a complete one. */
export function abortResponse(message: NodeRequest, response: NodeResponse): void {
  const { httpVersion, socket } = message
  // RFC 9113, section 7: INTERNAL_ERROR.
  if ('stream' in response) response.stream.close(0x2)
  // HTTP/1.0 has no chunks, so only a reset tells a truncated body from a complete one. TLS has no resets,
  // but its close_notify is missing then. On Unix sockets, which have no family, resetAndDestroy() throws.
  else if (httpVersion === '1.0' && socket.remoteFamily && !('encrypted' in socket)) {
    socket.resetAndDestroy()
  } else response.destroy()
}
