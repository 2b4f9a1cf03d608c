const FRACTION_OR_EXPONENT = /\d[.eE]/
const DECIMAL_LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const INT64_DIGITS = 19

/**
 * Parses JSON so that the member `id` of the top-level object is exact: a bigint when its literal is
 * an integer of at most 19 digits, whatever its notation (`7`, `7.0`, `7e0`). Any other id stays what
 * `JSON.parse` makes of it, so a number there is one that no bigint stands for.
 *
 * Throws a `SyntaxError` for what is no JSON, and the engine's `RangeError` for what nests too deep.
 */
export function parseWithExactId(text: string): unknown {
  const value = JSON.parse(text)
  if (typeof value?.id !== 'number') return value
  // A double below 2^53 written without fraction and exponent is exact already.
  if (!Number.isSafeInteger(value.id) || FRACTION_OR_EXPONENT.test(text)) {
    return JSON.parse(text, exactId as Reviver)
  }
  value.id = BigInt(value.id)
  return value
}

// The third argument is ES2026's "JSON.parse source text access", which TypeScript's lib lacks.
type Reviver = (key: string, value: unknown) => unknown

function exactId(key: string, value: unknown, context: { source: string }): unknown {
  if (key !== 'id' || typeof value !== 'number') return value
  return exactInteger(context.source) ?? value
}

function exactInteger(literal: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    DECIMAL_LITERAL.exec(literal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits === '') return 0n

  let significant = digits.length
  // A loop, since /0+$/ takes quadratic time on a megabyte of zeros that a 1 ends.
  while (digits[significant - 1] === '0') significant--

  const zeros = Number(exponent) - fraction.length + digits.length - significant
  if (zeros < 0 || significant + zeros > INT64_DIGITS) return undefined
  return BigInt(sign + digits.slice(0, significant) + '0'.repeat(zeros))
}
