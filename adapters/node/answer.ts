import { failureReply } from '../../src/http/answer.ts'
import { isPromise } from '../../src/maybe-promise.ts'
import type { PlantStore } from '../../src/plant-store.ts'
import type { Reply } from '../../src/reply.ts'
import { endOfReading } from './reading.ts'
import { sendReply } from './reply.ts'
import { fromNodeRequest, isRepeated, type NodeRequest, type NodeResponse } from './request.ts'
import { isHost, readTarget } from './target.ts'

/**
 * Answers a request that a server of Node's has received. Settles when the answer is handed over, and
 * never rejects.
 *
 * @param beforeBody see `fromNodeRequest`
 */
export async function answer(
  store: Pick<PlantStore, 'handle'>,
  message: NodeRequest,
  response: NodeResponse,
  beforeBody?: () => void,
): Promise<void> {
  await endOfReading()
  // RFC 9112, section 9.3.2: what may change something waits for the requests before it.
  if (isQueued(response) && !(await hasItsTurn(message, response))) return
  const url = isProper(message) ? readTarget(message.url!) : undefined
  if (url === undefined) {
    sendReply(message, response, isPing(message) ? PONG : badRequest(message))
    return
  }
  try {
    const request = fromNodeRequest(message, response, url, beforeBody)
    const handled = store.handle(request)
    // A turn of the event loop is worth its while only where there is something to wait for.
    const reply = (isPromise(handled) ? await handled : handled) ?? failureReply('route_not_found')
    const sent = sendReply(message, response, reply)
    if (sent) await sent
  } catch (error) {
    // The store's own handle never rejects, and its replies can be sent; an app may have wrapped it.
    console.error(error)
    sendReply(message, response, failureReply('internal'))
  }
}

/** Whether Node holds the response back behind another one. */
function isQueued(response: NodeResponse): boolean {
  return response.socket === null && !response.writableEnded
}

/** Waits for the answers to earlier requests on the connection; false if it breaks meanwhile. */
function hasItsTurn({ socket }: NodeRequest, response: NodeResponse): Promise<boolean> {
  return new Promise((resolve) => {
    function onClose() {
      resolve(false)
    }
    // As many requests may wait as the client pipelines, and none of them is told of the end itself.
    socket.setMaxListeners(0).once('close', onClose)
    // Node gives a response the socket when the one before it has left.
    response.once('socket', () => {
      socket.off('close', onClose)
      resolve(true)
    })
  })
}

/** Whether the request is what its version of HTTP allows, as far as Node lets pass what isn't. */
function isProper(message: NodeRequest): boolean {
  const { host, 'transfer-encoding': transferEncoding } = message.headers
  return (
    // HTTP/0.9, and HTTP/2.0 in the form of HTTP/1.
    message.httpVersionMajor === ('stream' in message ? 2 : 1) &&
    // RFC 9112, section 3.2: two Host fields, or one that is no host, are 400.
    (host === undefined || (isHost(host) && !isRepeated(message.rawHeaders, 'host'))) &&
    // RFC 9112, section 6.1: a coding that isn't undone must not be taken for the content.
    // In HTTP/1.0, it can only mislead.
    (transferEncoding === undefined ||
      (transferEncoding.toLowerCase() === 'chunked' && message.httpVersion !== '1.0'))
  )
}

/** `OPTIONS *` asks no more than whether somebody is there (RFC 9110, section 9.3.7). */
function isPing(message: NodeRequest): boolean {
  return message.method === 'OPTIONS' && message.url === '*' && isProper(message)
}

const PONG: Reply = { status: 204, headers: {}, body: null }

function badRequest(message: NodeRequest): Reply {
  // HTTP/2 has no Connection header.
  return { status: 400, headers: 'stream' in message ? {} : { connection: 'close' }, body: null }
}
