import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest, type NodeResponse } from './message.ts'

/** From this many on, no further requests are read from a connection until the waiting ones have been served. */
const MAX_WAITING = 16

/** How many requests of a connection wait for the responses before theirs. */
const waiting = new WeakMap<Socket, number>()

/**
 * Waits for the turn of a request: until the responses to those before it on its connection have been sent, and, under
 * load, until Node has read what else has come in.
 */
export async function requestTurn(message: NodeRequest, response: NodeResponse): Promise<void> {
  // A middleware has resumed it. What it emits before the store reads it would be lost.
  const isFlowing = message.readableFlowing && message.listenerCount('data') === 0
  if (isFlowing && message.method === 'POST') message.pause()
  // Node gives a response its socket when those before it have been sent. HTTP/2 has streams instead.
  if (response.socket === null && !('stream' in response)) {
    await responsesBefore(message as IncomingMessage, response)
  }
  // Node ends a TLS socket in the turn in which its client does, whatever is still to be sent.
  if (!isEncrypted(message)) await pendingReads()
}

/**
 * Requests of one connection are served one after the other (RFC 9112, section 9.3.2). If a response closes the
 * connection, this never resolves: the requests after it must not be carried out (section 9.6).
 */
async function responsesBefore(
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const count = (waiting.get(socket) ?? 0) + 1
  waiting.set(socket, count)
  if (count >= MAX_WAITING) socket.pause()
  await new Promise((resolve) => response.once('socket', resolve))
  const left = waiting.get(socket)! - 1
  waiting.set(socket, left)
  if (left === 0 && socket.isPaused()) socket.resume()
}
