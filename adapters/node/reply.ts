import type { ServerResponse } from 'node:http'
import { isStream, type MaybePromise, type Reply } from '../../src/adapter.ts'
import { isGone, type NodeRequest, type NodeResponse } from './message.ts'
import { streamBody } from './stream-body.ts'

/** An unread body up to this size is left to Node, which drains it to keep the connection. */
const MAX_DRAIN_BYTES = 64 * 1024
/** The limits of a client that sends on after the response: its pauses, and how much it may send. */
const LINGER_MS = 2000
const LINGER_BYTES = 128 * 1024 * 1024

/** Sends a reply through a Node response. Does nothing when the client has disconnected. */
export function sendReply(
  message: NodeRequest,
  response: NodeResponse,
  reply: Reply,
): MaybePromise<void> {
  const { status, body } = reply
  const headers = { ...reply.headers }
  if (isStream(body)) return streamBody(message, response, body, status, headers)
  // The app may have responded meanwhile, for example from a timeout middleware.
  if (isGone(message, response) || response.headersSent) return

  if (body !== null) headers['content-length'] = String(Buffer.byteLength(body))
  // RFC 9110, section 8.6: not in a 204, and in a response to HEAD only what GET would have.
  else if (status !== 204 && message.method !== 'HEAD') headers['content-length'] = '0'

  const content = message.method === 'HEAD' ? null : body
  // A 401 or a 413 may come before the body has arrived.
  const isComplete = canKeepConnection(message, response)
  if (isComplete || 'stream' in response) {
    ;(response as ServerResponse).writeHead(status, headers)
    response.end(content ?? '')
    if (!isComplete) stopReceivingWhenSent(message, response)
  } else {
    response.writeHead(status, { ...headers, connection: 'close' })
    if (content === null) response.flushHeaders()
    else response.write(content)
    linger(message, () => response.end())
  }
}

/** Handles a request body that is still arriving when the response has been sent. */
export function stopReceivingWhenSent(message: NodeRequest, response: NodeResponse): void {
  // RFC 9113, section 8.1: after a complete response, NO_ERROR asks the client to stop sending.
  if ('stream' in response) response.stream.once('finish', () => response.stream.close())
  // Node drops the rest of a body that nobody has read, but not of one that was read in part. A full pipe,
  // such as that of a preParsing hook of Fastify, would pause it again.
  else response.once('finish', () => message.unpipe().resume())
}

/** Whether the whole request has arrived, or the rest is so small that Node reads and drops it. */
export function canKeepConnection(message: NodeRequest, response: NodeResponse): boolean {
  if (message.complete || message.readableEnded) return true
  if ('stream' in response) return response.stream.endAfterHeaders
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = message.headers
  return coding === undefined && Number(length) <= MAX_DRAIN_BYTES
}

/**
 * Reads on for a moment before the connection is closed. A connection that is closed while its client is
 * sending is reset, and the reset may destroy the response on its way (RFC 9112, section 9.6).
 */
function linger(message: NodeRequest, done: () => void): void {
  let left = LINGER_BYTES
  const timer = setTimeout(end, LINGER_MS)
  function onData({ length }: Uint8Array | string) {
    left -= length
    left < 0 ? end() : timer.refresh()
  }
  function end() {
    clearTimeout(timer)
    message.off('data', onData).off('close', end).pause()
    done()
  }
  message.on('data', onData).on('close', end).resume()
}
