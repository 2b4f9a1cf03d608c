import type { IncomingBody, IncomingRequest } from '../incoming-request.ts'
import { kindOf } from '../lib/arguments.ts'
import { codeOf } from '../lib/thrown.ts'
import { assertConnected } from './client-gone.ts'
import { Failure } from './failure.ts'

// Parameters are allowed and mean nothing (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i

/**
 * Reads a JSON body. Here it is decided that a request gets 413 or 415. Both may come before the body has arrived, so each
 * adapter makes sure that the client can read them.
 *
 * @throws Failure with the status 413 or 415, or 400 if the body is incomplete
 */
export async function readJsonBody(
  request: IncomingRequest,
  maxBytes: number,
): Promise<IncomingBody> {
  assertJson(request.headers)
  // An error that it throws at once does not mean that the body is incomplete: somebody has read it, or the adapter has a
  // bug.
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
  // A host with a lower limit of its own fails the stream with an error of this status: SvelteKit, 512 KiB.
  if ((cause as { status?: unknown } | null | undefined)?.status === 413) {
    return new Failure('body_too_large')
  }
  assertConnected(request)
  return new Failure('malformed_json', { message: 'The body is incomplete.' })
}

/**
 * The size of a body in bytes, or a lower bound that exceeds `maxBytes`. That of a parsed one isn't known here; its
 * adapter checks it.
 *
 * @throws TypeError when it isn't a body: the adapter's mistake, which is a 500
 */
function sizeOf(body: IncomingBody, maxBytes: number): number {
  if (typeof body === 'string') {
    // Each UTF-16 code unit takes one to three bytes.
    return body.length > maxBytes ? body.length : new TextEncoder().encode(body).byteLength
  }
  const given = Object(body)
  if (typeof given.byteLength === 'number') return given.byteLength
  if ('parsed' in given) return 0
  throw new TypeError(`readBody must return bytes, text, { parsed } or null; got ${kindOf(body)}`)
}
