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
  const url = hasProperHost(message) ? readTarget(message.url!) : undefined
  if (url === undefined) {
    await sendReply(message, response, withoutTarget(message))
    return
  }
  const reply = await handle(store, message, response, url, beforeBody)
  // Most replies are sent at once, and spare the event loop a turn.
  await sendReply(message, response, reply)
}

async function handle(
  store: Pick<PlantStore, 'handle'>,
  message: NodeRequest,
  response: NodeResponse,
  url: string,
  beforeBody?: () => void,
): Promise<Reply> {
  try {
    const request = fromNodeRequest(message, response, url, beforeBody)
    return (await store.handle(request)) ?? routeNotFound()
  } catch (error) {
    // The store's own handle never rejects; one that an app has put around it may.
    console.error(error)
    return new Failure('internal').reply
  }
}

/** RFC 9112, section 3.2: two Host fields, or one that is no host, are 400. */
function hasProperHost({ headers, rawHeaders }: NodeRequest): boolean {
  const { host } = headers
  return host === undefined || (isHost(host) && valuesOf(rawHeaders, 'host').length === 1)
}

/** `OPTIONS *` asks no more than whether somebody is there (RFC 9110, section 9.3.7). */
function withoutTarget({ method, url, httpVersionMajor }: NodeRequest): Reply {
  if (method === 'OPTIONS' && url === '*') return { status: 204, headers: {}, body: null }
  // HTTP/2 has no Connection header.
  return { status: 400, headers: httpVersionMajor === 1 ? { connection: 'close' } : {}, body: null }
}
