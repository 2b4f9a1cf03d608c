import { Failure } from '../errors.ts'
import type { IncomingBody } from '../incoming-request.ts'
import { INT64_RANGE } from '../lib/int64.ts'
import { describeProblems, NewPlant } from '../plant.ts'

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
  let text: string
  let value: any
  try {
    text = typeof body === 'string' ? body : utf8.decode(body)
    value = parseWithExactId(text)
  } catch {
    throw new Failure('malformed_json')
  }
  if (typeof value?.id !== 'number') return value
  // As it was sent, since the number may be rounded.
  const literal = findIdLiteral(text)
  const got = literal.length <= MAX_SHOWN_LITERAL ? literal : 'a number'
  throw new Failure('invalid_plant', { message: `id must be ${INT64_RANGE}; got ${got}.` })
}

const MAX_SHOWN_LITERAL = 40

/** A double that `JSON.parse` returned is exact only below 2^53. */
function withExactId(value: any): unknown {
  if (!Number.isInteger(value?.id)) return value
  if (Number.isSafeInteger(value.id)) return { ...value, id: BigInt(value.id) }
  throw new Failure('invalid_plant', {
    message:
      'id is beyond 2^53, and a JSON parser in front of the plant store has rounded it: mount the store before the parser.',
  })
}

const DECIMAL_LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const FRACTION_OR_EXPONENT = /\d[.eE]/
// Without the lookbehind, it takes quadratic time on a megabyte of zeros that ends in a 1.
const ZEROS_AT_END = /(?<!0)0+$/
const INT64_DIGITS = 19
const ID = '"id"'

/**
 * Parses JSON so that the member `id` of the top-level object is exact. It becomes a bigint when its
 * literal is an integer of at most 19 digits, in any notation: `7`, `7.0`, `7e0`. Any other id stays as
 * `JSON.parse` returns it, so an id that is still a number is not an int64.
 *
 * Throws a SyntaxError for malformed JSON.
 */
export function parseWithExactId(text: string): unknown {
  const value = JSON.parse(text)
  if (typeof value?.id !== 'number') return value
  // A fraction, or a double beyond 10^19, can't come from an integer of 19 digits. Not looking for the literal halves
  // the time that a mebibyte of digits takes (npm run bench -- connection).
  if (!Number.isInteger(value.id) || Math.abs(value.id) > 10 ** INT64_DIGITS) return value
  // Below 2^53, a double that was written without a fraction and an exponent is exact.
  const isExact = Number.isSafeInteger(value.id) && !FRACTION_OR_EXPONENT.test(text)
  value.id = (isExact ? BigInt(value.id) : exactInteger(findIdLiteral(text))) ?? value.id
  return value
}

/**
 * Finds the literal of the top-level member `id`. If there are several, the last one counts, as it does for
 * `JSON.parse`. The text is valid JSON with a number there.
 *
 * A reviver with access to the source text (ES2026) finds it too. But it is called for each value, so that a
 * mebibyte of small numbers blocks the thread far longer, and deeply nested arrays overflow the stack. `npm run
 * hostile` sends both.
 */
function findIdLiteral(text: string): string {
  const first = text.indexOf(ID)
  // Most bodies contain "id" once and no escape, so it is the key.
  if (first === text.lastIndexOf(ID) && !text.includes('\\')) {
    return matchNumber(text, first + ID.length)![1]!
  }
  let literal = ''
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      const end = endOfString(text, index)
      const match = depth === 1 && isId(text.slice(index, end + 1)) && matchNumber(text, end + 1)
      if (match) literal = match[1]!
      index = end + (match ? match[0].length : 0)
    }
  }
  return literal
}

function endOfString(text: string, start: number): number {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index
}

/** Whether a JSON string is "id": it may be written with escapes. */
function isId(string: string): boolean {
  return string === ID || (string.includes('\\') && JSON.parse(string) === 'id')
}

const COLON_AND_NUMBER = /\s*:\s*(-?[\d.eE+-]+)/y

/** Matches the number after a key. Null if the string before it is a value, or if its value is not a number. */
function matchNumber(text: string, index: number): RegExpExecArray | null {
  COLON_AND_NUMBER.lastIndex = index
  return COLON_AND_NUMBER.exec(text)
}

function exactInteger(literal: string): bigint | undefined {
  const [, sign, whole, fraction = '', exponent = 0] = DECIMAL_LITERAL.exec(literal)!
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '') return 0n

  const significant = digits.replace(ZEROS_AT_END, '')
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length
  if (zeros < 0 || significant.length + zeros > INT64_DIGITS) return undefined
  return BigInt(`${sign}${significant}${'0'.repeat(zeros)}`)
}
