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

  const parts = body[Symbol.asyncIterator]()
  let isReading = false
  /** The next part; undefined after the last. Not a local of the loop, which would keep it while it waits. */
  let part: string | undefined = ''

  async function read(): Promise<void> {
    isReading = true
    const { done, value } = await parts.next()
    isReading = false
    part = done ? undefined : value
  }
  function write(): boolean {
    // Node would keep a string beside its copy of it for as long as the client doesn't read.
    const bytes = Buffer.from(part!)
    part = ''
    return (response as ServerResponse).write(bytes)
  }

  try {
    // Before the status is sent, so that a first part that fails gets a 500.
    if (isOpen()) await read()
    if (isOpen()) {
      ;(response as ServerResponse).writeHead(status, headers)
      while (part !== undefined && !isGone(message, response)) {
        if (!write()) await new Promise<void>((resolve) => (wake = resolve))
        if (!isGone(message, response)) await read()
      }
      if (part === undefined) return void response.end()
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
