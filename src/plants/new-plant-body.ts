import { Failure } from '../http/failure.ts'
import { codeOf } from '../http/guard.ts'
import type { IncomingBody, IncomingRequest } from '../incoming-request.ts'
import { kindOf } from '../lib/kind-of.ts'
import { isPromise, type MaybePromise, toNative } from '../maybe-promise.ts'
import { findProblems } from '../new-plant-rules.ts'
import type { StoredPlant } from '../plant.ts'
import { parseWithExactId } from './exact-json.ts'

// Parameters are allowed and mean nothing (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i

/** Reads and validates the body of a create, or throws a 400, 413 or 415 Failure. */
export function readNewPlant(
  request: IncomingRequest,
  maxBytes: number,
): MaybePromise<StoredPlant> {
  assertJson(request.headers)
  const body = request.readBody(maxBytes)
  return isPromise(body) ? toNewPlantLater(body, maxBytes) : toNewPlant(body, maxBytes)
}

function toNewPlantLater(
  promise: Promise<IncomingBody | null>,
  maxBytes: number,
): Promise<StoredPlant> {
  return toNative(promise).then((body) => toNewPlant(body, maxBytes), throwFailure)
}

function toNewPlant(body: IncomingBody | null, maxBytes: number): StoredPlant {
  if (body !== null && !isLarger(body, maxBytes)) return validate(parse(body))
  throw new Failure('body_too_large', { message: `The body is larger than ${maxBytes} bytes.` })
}

/**
 * Whether a body exceeds `maxBytes`. The size of a parsed one isn't known here; its adapter checks it.
 *
 * @throws TypeError when it is no body: the adapter's mistake, which is a 500
 */
function isLarger(body: IncomingBody, maxBytes: number): boolean {
  if (typeof body === 'string') return isLongerText(body, maxBytes)
  const given = Object(body)
  if (typeof given.byteLength === 'number') return given.byteLength > maxBytes
  if ('parsed' in given) return false
  throw new TypeError(`readBody must return bytes, text, { parsed } or null; got ${kindOf(body)}`)
}

function isLongerText(text: string, maxBytes: number): boolean {
  // Each UTF-16 code unit takes one to three bytes.
  if (text.length > maxBytes) return true
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes
}

function assertJson(headers: IncomingRequest['headers']): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  const isJson = APPLICATION_JSON.test(headers.get('content-type') ?? '')
  if (isJson && encoding.toLowerCase() === 'identity') return
  // RFC 9110, section 15.5.16: a 415 may say what would have been accepted.
  throw new Failure('unsupported_media_type', { headers: { 'accept-post': 'application/json' } })
}

function throwFailure(cause: unknown): never {
  if (codeOf(cause) === 'body_consumed') throw cause
  // A host with a lower limit of its own fails the stream with an error of this status: SvelteKit, 512 KiB.
  if ((cause as { status?: unknown } | null | undefined)?.status === 413) {
    throw new Failure('body_too_large', { message: 'The body is larger than this server accepts.' })
  }
  throw new Failure('malformed_json', { message: 'The body is incomplete.' })
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

function validate(value: unknown): StoredPlant {
  const problems = findProblems(value, 'The body')
  if (problems.length > 0)
    throw new Failure('invalid_plant', { message: `${problems.join('. ')}.` })
  const { id, name, tag } = value as StoredPlant
  return tag === undefined ? { id, name } : { id, name, tag }
}
