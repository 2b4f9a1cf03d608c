import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
// The module's, since fake timers of an app's tests replace the global one.
import { setImmediate } from 'node:timers'
import { pendingReads } from '../shared/pending-reads.ts'
import { isEncrypted, type NodeRequest, type NodeResponse } from './message.ts'
import { canKeepConnection } from './reply.ts'

/** From this many waiting requests on, no further ones are read from their connection until they have been served. */
const MAX_WAITING = 16

/** For how long the requests of a long pipeline are served before other connections are. */
const MAX_BUSY_MS = 5

/** The requests of a connection that wait for the responses to those before them. */
interface Pipeline {
  waiting: number
  /** When its requests began to be served one after the other in this turn of the event loop. */
  begunAt: number
  isHeld: boolean
}

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * Waits until the responses to the requests before this one on its connection have been sent, and, under load, until
 * Node has read what else has come in. Undefined if there is nothing to wait for.
 */
export function requestTurn(
  message: NodeRequest,
  response: NodeResponse,
): Promise<void> | undefined {
  // The app has responded, so Node has taken the socket from the response, and drops the rest of the body.
  if (response.writableFinished) return undefined
  // A middleware has resumed it. What it emits before the store reads it would be lost.
  const isFlowing = message.readableFlowing && message.listenerCount('data') === 0
  if (isFlowing && message.method === 'POST') message.pause()
  // Node gives a response its socket when those before it have been sent. HTTP/2 has streams instead.
  if (response.socket === null && !('stream' in response)) {
    return turnInPipeline(message as IncomingMessage, response)
  }
  // A large body doesn't wait, since Node would meanwhile read up to 128 KiB of each.
  return mayWait(message) && canKeepConnection(message, response) ? pendingReads() : undefined
}

/** Node ends a TLS socket in the turn of the event loop in which its client does, whatever is still to be sent. */
function mayWait(message: NodeRequest): boolean {
  return !isEncrypted(message)
}

/**
 * Requests of one connection are served one after the other (RFC 9112, section 9.3.2). If a response closes the
 * connection, this never resolves: the requests after it must not be carried out (section 9.6).
 */
async function turnInPipeline(message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { socket } = message
  const pipeline = pipelines.get(socket) ?? { waiting: 0, begunAt: 0, isHeld: false }
  pipelines.set(socket, pipeline)
  if (pipeline.waiting === 0) pipeline.begunAt = performance.now()
  pipeline.waiting++
  if (pipeline.waiting === MAX_WAITING) hold(socket, pipeline)
  await new Promise((resolve) => response.once('socket', resolve))
  const isLong = pipeline.isHeld
  pipeline.waiting--
  if (isLong && pipeline.waiting === 0) release(socket, pipeline)
  // Node would serve all that it has read of a pipeline before it looks at another connection. A short one is served at
  // once: if its client has ended its side, Node ends the connection in the next turn.
  if (isLong && mayWait(message) && performance.now() - pipeline.begunAt > MAX_BUSY_MS) {
    await new Promise((resolve) => setImmediate(resolve))
    pipeline.begunAt = performance.now()
  }
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
