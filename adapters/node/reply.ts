import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'
import type { Reply } from '../../src/reply.ts'
import type { NodeRequest, NodeResponse } from './request.ts'

/** A body that was not read and is no larger is worth reading to keep the connection. */
const WORTH_READING_BYTES = 64 * 1024

/**
 * How much of a refused body is still taken in after the answer. A connection that is closed while
 * its client is sending is reset, and the reset may destroy the answer on its way (RFC 9112, section
 * 9.6). So the client is given a few round trips to notice.
 */
const LINGER_MS = 2000
const LINGER_BYTES = 128 * 1024 * 1024

// RFC 9113, section 7.
const INTERNAL_ERROR = 0x2

/**
 * Sends the store's reply through a response of Node's. A client that is gone is no error.
 *
 * @returns for a body in parts, what settles when the parts are handed over or given up
 */
export function sendReply(
  message: NodeRequest,
  response: NodeResponse,
  reply: Reply,
): Promise<void> | undefined {
  const { status } = reply
  let { body } = reply
  // Something of the app's, such as a timeout middleware, may have answered in the meantime.
  if (isGone(message, response) || response.headersSent) {
    return isStream(body) ? cancel(body[Symbol.asyncIterator]()) : undefined
  }
  const head: Record<string, string> = { ...reply.headers }
  if (typeof body === 'string') head['content-length'] = String(Buffer.byteLength(body))
  else if (body === null && mayHaveLength(message, status)) head['content-length'] = '0'

  if (message.method === 'HEAD' && typeof body === 'string') body = null

  return 'stream' in response
    ? sendHttp2(message, response, status, head, body)
    : sendHttp1(message, response, status, head, body)
}

function sendHttp1(
  message: NodeRequest,
  response: ServerResponse,
  status: number,
  head: Record<string, string>,
  body: Reply['body'],
): Promise<void> | undefined {
  const refused = isBodyRefused(message)
  // After a request that asks for another protocol, Node reads no further.
  if (refused || message.headers.upgrade !== undefined) head.connection = 'close'
  response.writeHead(status, head)

  if (isStream(body)) {
    if (refused) discardBody(message, () => {})
    return sendParts(message, response, body, () => response.end())
  }
  if (!refused) {
    response.end(body)
  } else {
    // The client has the whole answer, by its length, before Node may close the connection.
    if (body === null) response.flushHeaders()
    else response.write(body)
    discardBody(message, () => response.end())
  }
  return undefined
}

function sendHttp2(
  message: NodeRequest,
  response: Http2ServerResponse,
  status: number,
  head: Record<string, string>,
  body: Reply['body'],
): Promise<void> | undefined {
  function finish(last?: string) {
    const { stream } = response
    if (last === undefined) response.end()
    else response.end(last)
    if (!message.complete && !stream.endAfterHeaders) refuseRest(stream)
  }
  response.writeHead(status, head)
  if (isStream(body)) return sendParts(message, response, body, finish)
  finish(body ?? undefined)
  return undefined
}

/**
 * After the whole answer, a reset without error tells the client to send no more (RFC 9113, section
 * 8.1). It has to wait, since curl forgets an answer that it gets together with the reset; meanwhile
 * flow control stops the client.
 */
function refuseRest(stream: ServerHttp2Stream): void {
  // Node itself would reset at once a stream that nobody has begun to read or paused.
  stream.pause()
  const timer = setTimeout(() => stream.close(), LINGER_MS)
  stream.once('close', () => clearTimeout(timer))
}

/** Sends part after part, each when the one before has left, until they end, break or nobody listens. */
async function sendParts(
  message: NodeRequest,
  response: NodeResponse,
  parts: AsyncIterable<string>,
  finish: () => void,
): Promise<void> {
  let iterator: AsyncIterator<string> | undefined
  let wake: (() => void) | undefined

  function onDrain() {
    wake?.()
  }
  function onClose() {
    if (!isGone(message, response)) return
    stop()
    if (iterator) void cancel(iterator)
    wake?.()
  }
  function stop() {
    response.off('drain', onDrain).off('close', onClose)
    message.off('close', onClose)
  }
  response.on('drain', onDrain).on('close', onClose)
  // An answer that waits for the one before it on a pipelined connection is told nothing of its end.
  message.on('close', onClose)

  try {
    iterator = parts[Symbol.asyncIterator]()
    // A connection may be gone before 'close' tells of it.
    while (!isGone(message, response)) {
      const { done, value } = await iterator.next()
      if (done) return isGone(message, response) ? undefined : finish()
      if (isGone(message, response) || (response as ServerResponse).write(value)) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    await cancel(iterator)
  } catch {
    // The store has told onError. The client must not take what it has for the whole.
    breakOff(message, response)
  } finally {
    stop()
  }
}

async function cancel(iterator: AsyncIterator<string>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // It broke while it was being given up: nobody is left to tell.
  }
}

/** Lets no client take what it has of the answer for the whole. */
export function breakOff(message: NodeRequest, response: NodeResponse): void {
  if ('stream' in response) response.stream.close(INTERNAL_ERROR)
  // HTTP/1.0 knows no chunks: there only a reset tells a truncated answer from a whole one.
  else if (message.httpVersion === '1.0' && response.socket?.remotePort) reset(response)
  else response.destroy()
}

function reset(response: ServerResponse): void {
  // Only plain TCP has resets; TLS tells a truncation by the missing close_notify.
  if ('encrypted' in response.socket!) response.destroy()
  else response.socket!.resetAndDestroy()
}

function isGone(message: NodeRequest, response: NodeResponse): boolean {
  if ('stream' in response) return response.stream.destroyed
  return response.destroyed || !message.socket.writable
}

function isStream(body: Reply['body']): body is AsyncIterable<string> {
  return body !== null && typeof body !== 'string'
}

/** RFC 9110, section 8.6: no Content-Length in a 204; and an answer to HEAD can't know it here. */
function mayHaveLength(message: NodeRequest, status: number): boolean {
  return message.method !== 'HEAD' && status !== 204 && status !== 304
}

/** Whether so much of the request's body is still to come that the connection is better given up. */
export function isBodyRefused(message: NodeRequest): boolean {
  // Node ends a request without a body before it has read it, where it is told to.
  if (message.complete || message.readableEnded) return false
  const { headers } = message
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > WORTH_READING_BYTES ||
    // The client may send its body or not (RFC 9110, section 10.1.1), and nobody knows which.
    headers.expect !== undefined
  )
}

/** Reads what the client goes on sending, up to a bound, and throws it away. */
export function discardBody(message: NodeRequest, done: () => void): void {
  let left = LINGER_BYTES
  const timer = setTimeout(stop, LINGER_MS)

  function onData(chunk: Uint8Array) {
    left -= chunk.byteLength
    if (left < 0) stop()
  }
  function stop() {
    clearTimeout(timer)
    message.off('data', onData).off('end', stop).off('close', stop)
    message.pause()
    done()
  }
  message.on('data', onData).on('end', stop).on('close', stop)
  message.resume()
}
