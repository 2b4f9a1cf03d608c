import { routeNotFound } from '../src/answer.ts'
import { Failure } from '../src/failure.ts'
import type { PlantStore } from '../src/plant-store.ts'
import type { Reply } from '../src/reply.ts'
import { sendReply } from './node-reply.ts'
import { fromNodeRequest, type NodeRequest, type NodeResponse, valuesOf } from './node-request.ts'
import { isHost, readTarget } from './node-target.ts'

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
  try {
    const reply = isProper(message)
      ? await replyTo(store, message, response, beforeBody)
      : badRequest(message)
    await sendReply(message, response, reply)
  } catch (error) {
    // Only an app that wraps `handle` can make a reply that can't be sent.
    console.error(error)
    response.destroy()
  }
}

async function replyTo(
  store: Pick<PlantStore, 'handle'>,
  message: NodeRequest,
  response: NodeResponse,
  beforeBody?: () => void,
): Promise<Reply> {
  const url = readTarget(message.url!)
  if (url === undefined) return isPing(message) ? PONG : badRequest(message)
  try {
    const request = fromNodeRequest(message, response, url, beforeBody)
    return (await store.handle(request)) ?? routeNotFound()
  } catch (error) {
    // The store's own handle never rejects; one that an app has put around it may.
    console.error(error)
    return new Failure('internal').reply
  }
}

/** Whether the request is what its version of HTTP allows, as far as Node lets pass what isn't. */
function isProper(message: NodeRequest): boolean {
  const { host, 'transfer-encoding': transferEncoding } = message.headers
  return (
    // HTTP/0.9, and HTTP/2.0 in the form of HTTP/1.
    message.httpVersionMajor === ('stream' in message ? 2 : 1) &&
    // RFC 9112, section 3.2: two Host fields, or one that is no host, are 400.
    (host === undefined || (isHost(host) && valuesOf(message.rawHeaders, 'host').length === 1)) &&
    // RFC 9112, section 6.1: a coding that isn't undone must not be taken for the content.
    (transferEncoding === undefined || transferEncoding.toLowerCase() === 'chunked')
  )
}

/** `OPTIONS *` asks no more than whether somebody is there (RFC 9110, section 9.3.7). */
function isPing({ method, url }: NodeRequest): boolean {
  return method === 'OPTIONS' && url === '*'
}

const PONG: Reply = { status: 204, headers: {}, body: null }

function badRequest(message: NodeRequest): Reply {
  // HTTP/2 has no Connection header.
  return { status: 400, headers: 'stream' in message ? {} : { connection: 'close' }, body: null }
}
