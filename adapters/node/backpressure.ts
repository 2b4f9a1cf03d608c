import type { ServerResponse } from 'node:http'
import { isGone, type NodeRequest, type NodeResponse } from './request.ts'

/**
 * Streams a body at the pace of the client: the next part is asked for when the one before has left. When
 * the client disconnects, no further part is asked for. Rejects only if nothing has been sent.
 */
export async function streamBody(
  message: NodeRequest,
  response: NodeResponse,
  parts: AsyncIterable<string>,
  status: number,
  headers: Record<string, string>,
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]()
  try {
    if (!isGone(message, response) && !response.headersSent) {
      ;(response as ServerResponse).writeHead(status, headers)
      while (!isGone(message, response)) {
        const { done, value } = await iterator.next()
        if (done) {
          response.end()
          return
        }
        if (isGone(message, response)) break
        if (!(response as ServerResponse).write(value)) await nextDrain(message, response)
      }
    }
    await iterator.return?.()
  } catch (error) {
    // The store has called onError.
    if (response.headersSent) return breakOff(message, response)
    await iterator.return?.()
    throw error
  }
}

/** Waits until there is room for another part, or the connection is gone. */
function nextDrain(message: NodeRequest, response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    function onEvent() {
      response.off('drain', onEvent).off('close', onEvent)
      message.off('close', onEvent)
      resolve()
    }
    response.on('drain', onEvent).on('close', onEvent)
    // On Node 22, a response that is queued behind another on its connection gets no 'close'. Its request does.
    message.on('close', onEvent)
  })
}

/** Breaks the connection, so that the client doesn't take the truncated body for a complete one. */
export function breakOff(message: NodeRequest, response: NodeResponse): void {
  const { httpVersion, socket } = message
  // RFC 9113, section 7: INTERNAL_ERROR.
  if ('stream' in response) response.stream.close(0x2)
  // HTTP/1.0 has no chunks, so only a reset tells a truncated body from a complete one. TLS has no resets,
  // but its close_notify is missing then. Nor have Unix sockets: they have no family, and Node throws.
  else if (httpVersion === '1.0' && socket.remoteFamily && !('encrypted' in socket)) {
    socket.resetAndDestroy()
  } else response.destroy()
}
