import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { isStream, type MaybePromise, type Reply } from '../../src/adapter.ts'
import {
  hasArrived,
  isEncrypted,
  isGone,
  leavesSmallRest,
  type NodeRequest,
  type NodeResponse,
} from './request.ts'

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
  if (leavesSmallRest(message, response) || 'stream' in response) {
    ;(response as ServerResponse).writeHead(status, headers)
    response.end(content ?? '')
    dropRest(message, response)
  } else {
    // A connection that is closed while its client is sending is reset, and the reset may destroy the response on its way
    // (RFC 9112, section 9.6).
    response.writeHead(status, { ...headers, connection: 'close' })
    if (content === null) response.flushHeaders()
    else response.write(content)
    readRest(message as IncomingMessage, () => response.end())
  }
}

/**
 * Streams a body at the pace of the client: the next part is asked for when the one before has left. When
 * the client disconnects, no further part is asked for. Rejects if nothing has been sent, or a write fails.
 *
 * Not `pipeline()` of node:stream: Http2ServerResponse emits 'finish' when its client has reset the stream, and
 * the body would never be told.
 */
async function streamBody(
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
  // Once for the whole body: `compression` passes on() to its stream, but not off(). That of node-mocks-http can't
  // be chained.
  response.on('drain', () => wake())
  response.on('close', () => wake())

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
    if (done) {
      response.end()
      dropRest(message, response)
    }
    // Node would keep a string beside its copy of it for as long as the client doesn't read.
    else isFull = (response as ServerResponse).write(Buffer.from(value)) === false
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
  // serverless-http has one that can't.
  if (!socket?.cork || socket.writableCorked > 0) return
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
  else if (httpVersion === '1.0' && socket?.remoteFamily && !isEncrypted(message)) {
    socket.resetAndDestroy()
  }
  // What a test passes in place of a response may not have it.
  else response.destroy?.()
}

/** How long the rest of an unread body is read after the response, as nginx's `lingering_time`. */
const LINGER_MS = 30_000
const LINGER_IDLE_MS = 5000
/** How many bytes of it are read, framing included: 64 MiB, and half of that for the frames of small chunks. */
const LINGER_BYTES = 96 * 1024 * 1024
/** In how many pieces it may come, of some 40 µs each. 64 MiB in chunks of 16 KiB come in 4096 to 8192. */
const LINGER_PIECES = 10_000

/** Drops the unread rest of a refused body (401, 413) when the response is sent. */
export function dropRest(message: NodeRequest, response: NodeResponse): void {
  if (hasArrived(message)) {
    // Other listeners get it. Node drops only a body that was never read.
    if (message.readableFlowing === false) message.resume()
  } else if ('stream' in message) {
    const { stream } = response as Http2ServerResponse
    // RFC 9113, section 8.1: after a complete response, NO_ERROR asks the client to stop sending.
    if (!stream.endAfterHeaders) stream.once('finish', () => stream.close())
  } else {
    // A full pipe (a preParsing hook of Fastify) would pause it.
    if (!leavesSmallRest(message, response)) message.unpipe()
    readRest(message, (isWhole) => {
      if (!isWhole) message.destroy()
    })
  }
}

/** Reads the rest of a body, within limits, and tells whether it has come to the end. */
function readRest(message: IncomingMessage, onStop: (isWhole: boolean) => void): void {
  const { socket } = message
  let bytesLeft = LINGER_BYTES
  let piecesLeft = LINGER_PIECES
  const timer = setTimeout(giveUp, LINGER_MS)
  const idle = setTimeout(giveUp, LINGER_IDLE_MS)
  function giveUp(): void {
    stop()
    onStop(false)
  }
  function onRead({ length }: Uint8Array): void {
    idle.refresh()
    bytesLeft -= length
    if (bytesLeft < 0) giveUp()
  }
  function onPiece(): void {
    if (piecesLeft-- === 0) giveUp()
  }
  function stop(): void {
    clearTimeout(timer)
    clearTimeout(idle)
    socket.off('data', onRead)
    message.off('data', onPiece).off('end', end).off('close', stop)
  }
  function end(): void {
    stop()
    onStop(true)
  }
  socket.on('data', onRead)
  // A 413 has paused it. Node would drop it without telling how much that is.
  message.on('data', onPiece).once('end', end).once('close', stop).resume()
}
