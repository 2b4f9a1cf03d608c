import { Failure } from '../errors.ts'
import type { IncomingBody, IncomingRequest } from '../incoming-request.ts'
import { kindOf } from '../lib/arguments.ts'
import { codeOf } from '../lib/thrown.ts'
import { assertConnected } from './context.ts'

// Parameters are allowed and mean nothing (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i

const encoder = new TextEncoder()

/**
 * Reads a JSON body. A 413 or 415 may be sent before the body has arrived: each adapter makes sure that the client can read
 * it.
 *
 * @throws Failure with the status 413 or 415, or 400 if the body is incomplete
 */
export async function readJsonBody(
  request: IncomingRequest,
  maxBytes: number,
): Promise<IncomingBody> {
  assertJson(request.headers)
  // A synchronous error doesn't mean that the body is incomplete: it was already read, or the adapter has a bug.
  const reading = request.readBody(maxBytes)
  let body: IncomingBody | null
  try {
    body = await reading
  } catch (cause) {
    throw toBodyFailure(cause, request)
  }
  if (body !== null && sizeOf(body, maxBytes) <= maxBytes) return body
  throw new Failure('body_too_large', { message: `The body is larger than ${maxBytes} bytes.` })
}

function assertJson(headers: IncomingRequest['headers']): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  const isJson = APPLICATION_JSON.test(headers.get('content-type') ?? '')
  if (isJson && encoding.toLowerCase() === 'identity') return
  // RFC 9110, section 15.5.16: a 415 may say what would have been accepted.
  throw new Failure('unsupported_media_type', { headers: { 'accept-post': 'application/json' } })
}

function toBodyFailure(cause: unknown, request: IncomingRequest): unknown {
  if (cause instanceof Failure || codeOf(cause) === 'body_consumed') return cause
  // A host with a lower limit fails the stream with an error of this status: SvelteKit, 512 KiB.
  if ((cause as { status?: unknown } | null | undefined)?.status === 413) {
    return new Failure('body_too_large')
  }
  assertConnected(request)
  return new Failure('malformed_json', { message: 'The body is incomplete.' })
}

/**
 * The size of a body in bytes, or a lower bound that exceeds `maxBytes`. The size of a parsed body isn't known here;
 * its adapter checks it.
 *
 * @throws TypeError when it isn't a body: the adapter's mistake, which is a 500
 */
function sizeOf(body: IncomingBody, maxBytes: number): number {
  if (typeof body === 'string') {
    // Each UTF-16 code unit takes one to three bytes.
    return body.length > maxBytes ? body.length : encoder.encode(body).byteLength
  }
  const given = Object(body)
  if (typeof given.byteLength === 'number') return given.byteLength
  if ('parsed' in given) return 0
  throw new TypeError(`readBody must return bytes, text, { parsed } or null; got ${kindOf(body)}`)
}

/** Collects the chunks of a body. */
export interface BodyBuffer {
  /** Adds a chunk, bytes or text; false, and nothing added, when the body would exceed its maximum size. */
  add(chunk: Uint8Array | string): boolean
  /** The whole body. */
  toBytes(): Uint8Array
}

/**
 * Creates a buffer for a body. A single chunk is not copied. Further ones are copied together, since a chunk of one
 * byte may keep 64 KiB of the host's read buffer alive.
 *
 * @param maxBytes the maximum size of the body
 * @param announced the `Content-Length`, in bytes, if it is known: the memory is then allocated once. Default: unknown
 *
 * @example
 * ```ts
 * const body = createBodyBuffer(16_384)
 * const isWithinLimit = body.add(new TextEncoder().encode('{"id":7,"name":"Monstera"}'))
 * ```
 */
export function createBodyBuffer(maxBytes: number, announced = 0): BodyBuffer {
  let bytes: Uint8Array = new Uint8Array()
  let length = 0
  return {
    add(part) {
      const chunk = typeof part === 'string' ? encoder.encode(part) : part
      const end = length + chunk.byteLength
      if (end > maxBytes) return false
      if (length === 0) bytes = chunk
      else {
        if (end > bytes.byteLength) {
          const capacity = Math.min(Math.max(end, announced, length * 2), maxBytes)
          const larger = new Uint8Array(capacity)
          larger.set(bytes.subarray(0, length))
          bytes = larger
        }
        bytes.set(chunk, length)
      }
      length = end
      return true
    },
    toBytes: () => bytes.subarray(0, length),
  }
}

/**
 * Reads a body from its chunks, bytes or text, or resolves to `null` as soon as it turns out to be larger than
 * `maxBytes`. It then ends the iteration, and most streams are destroyed by that. If that closes the
 * connection of your host, the client loses the 413: pass `stream.iterator({ destroyOnReturn: false })`.
 *
 * @example
 * ```ts
 * const readBody = (maxBytes: number) => readChunks(message, maxBytes) // of a node:http request
 * ```
 */
export async function readChunks(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const body = createBodyBuffer(maxBytes)
  for await (const chunk of chunks) {
    if (!body.add(chunk)) return null
  }
  return body.toBytes()
}
