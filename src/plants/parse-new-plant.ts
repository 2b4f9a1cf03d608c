import { Failure } from '../http/failure.ts'
import type { IncomingBody } from '../incoming-request.ts'
import { describeProblems } from '../lib/problems.ts'
import { NewPlant } from '../plant.ts'
import { parseWithExactId } from './exact-json.ts'

/** Parses and validates the body of a create, or throws a 400 Failure. */
export function parseNewPlant(body: IncomingBody): NewPlant {
  const { data, error } = NewPlant.safeParse(parse(body))
  if (data) return data
  const problems = describeProblems(error.issues, 'The body')
  throw new Failure('invalid_plant', { message: `${problems.join('. ')}.` })
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
