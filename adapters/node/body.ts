import { BodyConsumedError } from '../../src/incoming-request.ts'
import { endOfReading } from './reading.ts'
import type { NodeRequest } from './request.ts'

/**
 * Reads the body of a request of Node's, or `null` as soon as it turns out to have more than `maxBytes`
 * bytes.
 *
 * @param beforeBody called once when the body is really going to be read
 */
export async function readBody(
  message: NodeRequest,
  maxBytes: number,
  beforeBody?: () => void,
): Promise<Uint8Array | null> {
  assertUnread(message)
  // Without a body there is nothing to be told of.
  if (message.readableEnded) return new Uint8Array()
  if (isGone(message)) throw hungUp()
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return null
  beforeBody?.()

  // A small body has mostly come with its head, and what is there already costs no events.
  if (!isComplete(message)) {
    await endOfReading()
    assertUnread(message)
    if (isGone(message)) throw hungUp()
  }
  if (!isComplete(message)) return collect(message, maxBytes)
  const body = takeAll(message)
  return body.byteLength > maxBytes ? null : body
}

/** A body that something else reads would stop with the slower of the two. */
function assertUnread(message: NodeRequest): void {
  const isTaken = message.listenerCount('data') > 0 || message.listenerCount('readable') > 0
  if (isTaken || message.readableDidRead) throw new BodyConsumedError()
}

function isGone(message: NodeRequest): boolean {
  return message.destroyed || ('stream' in message && message.stream.destroyed)
}

/** Whether the whole body has come. HTTP/2 calls complete what has broken off, too. */
function isComplete(message: NodeRequest): boolean {
  return message.complete && !('stream' in message)
}

function takeAll(message: NodeRequest): Uint8Array {
  const chunks: Uint8Array[] = []
  // Since Node 26, a chunk at a time.
  for (let chunk = message.read(); chunk !== null; chunk = message.read()) {
    chunks.push(toBytes(chunk))
  }
  return join(chunks)
}

function collect(message: NodeRequest, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    function onData(data: Uint8Array | string) {
      const chunk = toBytes(data)
      size += chunk.byteLength
      chunks.push(chunk)
      if (size <= maxBytes) return
      message.off('data', onData).pause()
      resolve(null)
    }
    function onEnd() {
      // It comes after every end, and making an error takes time.
      message.off('close', onBreak)
      resolve(join(chunks))
    }
    // HTTP/2 tells of a broken-off body by 'close' alone, and ends the stream thereafter.
    function onBreak(error = hungUp()) {
      reject(error)
    }
    message.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
    // A middleware may have paused it.
    message.resume()
  })
}

function join(chunks: Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** A middleware may have called setEncoding. */
function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data
}

function hungUp(): Error {
  return new Error('The client hung up before the end of its body')
}
