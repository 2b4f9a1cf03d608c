import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Reply } from '../../src/reply.ts'
import { breakOff, discardBody, isBodyRefused } from '../node/reply.ts'
import type { NodeRequest, NodeResponse } from '../node/request.ts'

/**
 * Reads a body of which a preParsing hook has made another stream, or `null` where that has more than
 * `maxBytes` bytes.
 */
export async function readPayload(
  message: NodeRequest,
  payload: Readable,
  maxBytes: number,
): Promise<Uint8Array | null> {
  // The end of the request's stream is piped on, its breaking off isn't.
  function onClose() {
    if (!message.readableEnded) payload.destroy(new Error('The client hung up in its body'))
  }
  if (message.destroyed) onClose()
  message.once('close', onClose)

  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of payload) {
    size += chunk.length
    if (size > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/**
 * Makes of the store's body what Fastify sends: the hooks see it, and a client that hangs up, reads
 * slowly or goes on sending is treated as `sendReply` does it.
 */
export function toPayload(
  message: NodeRequest,
  reply: FastifyReply,
  body: Reply['body'],
): string | Readable | undefined {
  if (body === null) return undefined
  if (typeof body !== 'string') return toStream(body, () => breakOff(message, reply.raw))
  if (message.complete) return body
  const response = reply.raw as NodeResponse
  if ('stream' in response) {
    const { stream } = response
    // RFC 9113, section 8.1: after the whole answer, no error tells the client to send no more.
    stream?.once('finish', () => stream.close())
    return body
  }
  if (!isBodyRefused(message)) return body
  // A stream, for the connection ends with it: the client may read its answer first.
  reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(body) })
  return toStream(thenDiscard(body, message))
}

async function* thenDiscard(body: string, message: NodeRequest): AsyncGenerator<string> {
  yield body
  await new Promise<void>((resolve) => discardBody(message, resolve))
}

function toStream(parts: AsyncIterable<string>, onError: () => void = () => {}): Readable {
  // Counted in bytes and not in parts, of which sixteen would be read ahead.
  return Readable.from(parts, { objectMode: false }).once('error', onError)
}
