import { assertConnected, watchConnection } from '../http/client-gone.ts'
import { Failure } from '../http/failure.ts'
import type { IncomingBody, IncomingRequest } from '../incoming-request.ts'
import { codeOf } from '../lib/code-of.ts'
import { kindOf } from '../lib/kind-of.ts'
import { describeProblems } from '../lib/problems.ts'
import { NewPlant } from '../plant.ts'
import type { ReleasableLimit } from './body-memory.ts'
import { parseWithExactId } from './exact-json.ts'

// Parameters are allowed and mean nothing (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i

/** Reads and validates the body of a create, or throws a 400, 413 or 415 Failure. */
export async function readNewPlant(
  request: IncomingRequest,
  limit: ReleasableLimit,
): Promise<NewPlant> {
  assertJson(request.headers)
  const length = Number(request.headers.get('content-length'))
  while (limit.mustWait(length)) {
    watchConnection(request)
    await limit.pause()
    assertConnected(request)
  }
  // What it throws at once does not mean that the body is incomplete: there is no memory for it, somebody has read it,
  // or the adapter has a bug.
  const reading = request.readBody(limit)
  let body: IncomingBody | null
  try {
    body = await reading
  } catch (cause) {
    throw toBodyFailure(cause, request)
  }
  const { maxBytes } = limit
  if (body === null || sizeOf(body, maxBytes) > maxBytes) {
    throw new Failure('body_too_large', { message: `The body is larger than ${maxBytes} bytes.` })
  }
  return validate(parse(body))
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
 * @throws TypeError when it is no body: the adapter's mistake, which is a 500
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

// It ignores a byte order mark, as RFC 8259, section 8.1, allows.
const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(body: IncomingBody): unknown {
  if (typeof body === 'object' && 'parsed' in body) return withExactId(body.parsed)
  try {
    return parseWithExactId(typeof body === 'string' ? body : utf8.decode(body))
  } catch {
    throw new Failure('malformed_json')
  }
}

/** A double that `JSON.parse` returned is exact only below 2^53. */
function withExactId(value: any): unknown {
  if (!Number.isInteger(value?.id)) return value
  if (Number.isSafeInteger(value.id)) return { ...value, id: BigInt(value.id) }
  throw new Failure('invalid_plant', {
    message:
      'id is beyond 2^53, and a JSON parser in front of the plant store has rounded it: mount the store before the parser.',
  })
}

function validate(value: unknown): NewPlant {
  const { data, error } = NewPlant.safeParse(value)
  if (data) return data
  const problems = describeProblems(error.issues, 'The body')
  throw new Failure('invalid_plant', { message: `${problems.join('. ')}.` })
}
