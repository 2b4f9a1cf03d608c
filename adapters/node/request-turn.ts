import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest, type NodeResponse } from './message.ts'

/** From this many waiting requests on, no further ones are read from their connection until they have been served. */
const MAX_WAITING = 16

/** The requests of a connection that wait for the responses to those before them. */
interface Pipeline {
  waiting: number
  isHeld: boolean
}

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * What a request waits for: until the responses to those before it on its connection have been sent, and, under load,
 * until Node has read what else has come in. Undefined if there is nothing to wait for.
 */
export function requestTurn(
  message: NodeRequest,
  response: NodeResponse,
): Promise<void> | undefined {
  // A middleware has resumed it. What it emits before the store reads it would be lost.
  const isFlowing = message.readableFlowing && message.listenerCount('data') === 0
  if (isFlowing && message.method === 'POST') message.pause()
  // Node gives a response its socket when those before it have been sent. HTTP/2 has streams instead.
  if (response.socket === null && !('stream' in response)) {
    return responsesBefore(message as IncomingMessage, response)
  }
  // Node ends a TLS socket in the turn in which its client does, whatever is still to be sent.
  return isEncrypted(message) ? undefined : pendingReads()
}

/**
 * Requests of one connection are served one after the other (RFC 9112, section 9.3.2). If a response closes the
 * connection, this never resolves: the requests after it must not be carried out (section 9.6).
 */
async function responsesBefore(
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pipeline = pipelines.get(socket) ?? { waiting: 0, isHeld: false }
  pipelines.set(socket, pipeline)
  pipeline.waiting++
  if (pipeline.waiting === MAX_WAITING) hold(socket, pipeline)
  await new Promise((resolve) => response.once('socket', resolve))
  pipeline.waiting--
  if (pipeline.isHeld && pipeline.waiting === 0) release(socket, pipeline)
  await pendingReads()
}

/** Stops reading a connection. Its parser reads past a pause, unless somebody else listens to the data. */
function hold(socket: Socket, pipeline: Pipeline): void {
  pipeline.isHeld = true
  // Node resumes a connection after each response, and when what it has to send has drained.
  socket.on('data', ignore).on('resume', pauseAgain).pause()
}

function release(socket: Socket, pipeline: Pipeline): void {
  pipeline.isHeld = false
  socket.off('data', ignore).off('resume', pauseAgain).resume()
}

function pauseAgain(this: Socket): void {
  this.pause()
}

function ignore(): void {}
