import { finished, type Readable } from 'node:stream'
import {
  BodyConsumedError,
  createBodyBuffer,
  type IncomingBody,
  type MaybePromise,
} from '../../src/adapter.ts'
import { isGone, type NodeRequest, type NodeResponse } from './message.ts'

/** Reads the body of a Node request. The result is `null` as soon as it turns out to be larger than `maxBytes`. */
export function readBody(
  message: NodeRequest,
  response: NodeResponse,
  maxBytes: number,
): MaybePromise<IncomingBody | null> {
  // Node drops the body of a request that the app has answered.
  if (isGone(message, response)) return Promise.reject(new Error('Nobody waits for the response'))
  // Another reader that is added after this gets nothing.
  const isTaken = message.listenerCount('data') > 0 || message.listenerCount('readable') > 0
  if (isTaken || message.readableDidRead) throw new BodyConsumedError()
  const length = Number(message.headers['content-length'] ?? 0)
  if (length > maxBytes) return null
  const hasArrived = length > 0 && message.readableLength >= length
  if (!hasArrived) return readEvents(message, response, maxBytes, length)
  // Without a size, a flowing request returns its first chunk only, and on Node 26 any request does.
  const body = message.read(length)
  // A middleware may wait for 'end' and 'close', which Node emits once somebody has read to the end.
  message.resume()
  return body
}

/**
 * Reads a body by its events. An iterator holds back the chunks of a turn, so that 1 MiB in one-byte chunks stalls
 * other clients half as long again (npm run bench -- connection).
 */
function readEvents(
  message: NodeRequest,
  response: NodeResponse,
  maxBytes: number,
  announced: number,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const body = createBodyBuffer(maxBytes, announced)
    function add(chunk: Uint8Array | string): void {
      if (body.add(chunk)) return
      resolve(null)
      message.off('data', add).pause()
    }
    // A middleware may have paused the request.
    message.on('data', add).resume()
    finished(message as Readable, (error) => {
      if (error) reject(error)
      else resolve(body.toBytes())
    })
    // Node doesn't abort a request that the app has answered meanwhile.
    response.once('close', reject)
  })
}
