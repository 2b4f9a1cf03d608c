import { Failure } from '../http/failure.ts'
import { BodyConsumedError, type IncomingBody, type IncomingRequest } from '../incoming-request.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { isNewPlant, NewPlant } from '../plant.ts'
import { parseWithExactId } from './exact-json.ts'

// Any parameters are allowed, and none changes anything (RFC 8259, section 11).
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i

/**
 * Reads and validates the body of a create and goes on with it, or fails with the Failure that says what
 * is wrong with it.
 */
export function readNewPlant<T>(
  request: IncomingRequest,
  maxBytes: number,
  next: (plant: NewPlant) => MaybePromise<T>,
): Promise<T> {
  const type = request.headers.get('content-type')
  const encoding = request.headers.get('content-encoding')
  if (
    type === null ||
    !APPLICATION_JSON.test(type) ||
    (encoding ?? 'identity').toLowerCase() !== 'identity'
  ) {
    // RFC 9110, section 15.5.16: a 415 may say what would have been accepted.
    throw new Failure('unsupported_media_type', { headers: { 'accept-post': 'application/json' } })
  }
  return request.readBody(maxBytes).then((body) => {
    if (body !== null) return next(validate(parse(body)))
    throw new Failure('body_too_large', { message: `The body has more than ${maxBytes} bytes.` })
  }, rethrow)
}

function rethrow(error: unknown): never {
  if (error instanceof BodyConsumedError) throw error
  throw new Failure('malformed_json', { message: 'The body broke off.' })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parse(body: IncomingBody): unknown {
  if (typeof body === 'object' && 'parsed' in body) return withBigintId(body.parsed)
  try {
    return parseWithExactId(typeof body === 'string' ? body : utf8.decode(body))
  } catch {
    throw new Failure('malformed_json')
  }
}

/** What `JSON.parse` made a double of is exact only below 2^53. */
function withBigintId(value: any): unknown {
  if (typeof value?.id !== 'number') return value
  if (Number.isSafeInteger(value.id)) return { ...value, id: BigInt(value.id) }
  if (!Number.isInteger(value.id)) return value
  throw new Failure('invalid_plant', {
    message:
      'id is beyond 2^53, and a JSON parser in front of the plant store has rounded it: mount the store before the parser.',
  })
}

function validate(value: unknown): NewPlant {
  if (isNewPlant(value)) {
    const { id, name, tag } = value
    return tag === undefined ? { id, name } : { id, name, tag }
  }
  const problems = NewPlant.safeParse(value).error!.issues.map(({ path, message }) =>
    [path.join('.') || 'The body', message].join(' '),
  )
  throw new Failure('invalid_plant', { message: `${problems.join('; ')}.` })
}
